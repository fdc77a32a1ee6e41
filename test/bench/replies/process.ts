import { fork } from 'node:child_process';

/** What a process of the bench does when asked. Arguments and answers are JSON. */
type Doings = Record<string, (argument: never) => unknown>;

interface Question {
  id: number;
  name: string;
  argument: unknown;
}

interface Answer {
  id: number;
  value?: unknown;
  error?: string;
}

/** A process of its own, whose time and memory are nobody else's. Disposing ends it. */
export interface Started<Does extends Doings> extends AsyncDisposable {
  /** Rejects with what the process threw, and when it ends. */
  ask<Name extends keyof Does & string>(
    name: Name,
    ...argument: Parameters<Does[Name]>
  ): Promise<Awaited<ReturnType<Does[Name]>>>;
}

/** Starts a file of this folder, which answers by `answerQuestions`, with flags of Node's. */
export function startProcess<Does extends Doings>(
  file: string,
  flags: readonly string[] = [],
): Started<Does> {
  const child = fork(new URL(file, import.meta.url), { execArgv: [...flags] });
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  let last = 0;

  child.on('message', ({ id, value, error }: Answer) => {
    const asked = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) asked?.resolve(value);
    else asked?.reject(new Error(`${file}: ${error}`));
  });
  child.once('exit', (code) => {
    for (const asked of waiting.values()) {
      asked.reject(new Error(`${file} ended with ${code} before it had answered.`));
    }
  });

  return {
    ask(name, argument?) {
      const asked = Promise.withResolvers<unknown>();
      const question: Question = { id: ++last, name, argument };
      waiting.set(question.id, asked);
      child.send(question);
      return asked.promise as Promise<Awaited<ReturnType<Does[typeof name]>>>;
    },
    async [Symbol.asyncDispose]() {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}

/** Answers the process that started this one; ends with it, or when it is let go. */
export function answerQuestions(doings: Doings): void {
  async function answer({ id, name, argument }: Question): Promise<Answer> {
    try {
      return { id, value: await doings[name]?.(argument as never) };
    } catch (error) {
      return { id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
    }
  }
  async function respond(question: Question): Promise<void> {
    const answered = await answer(question);
    // Who asked may have ended meanwhile.
    if (process.connected) process.send?.(answered, undefined, undefined, () => {});
  }
  process.on('message', (question: Question) => void respond(question));
  process.once('disconnect', () => process.exit());
}
