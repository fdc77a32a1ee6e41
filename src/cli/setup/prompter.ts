import { createInterface } from 'node:readline';
import { type Readable, Writable } from 'node:stream';

/** Asks the person at the terminal, or a script that writes lines. */
export interface Prompter extends Disposable {
  say(text: string): void;
  /**
   * The trimmed answer, which may be empty.
   * @throws {InputEnded} when there are no more lines
   */
  ask(question: string, options?: { isSecret?: boolean }): Promise<string>;
}

/** The input ended, or Ctrl+C ended it, before everything was asked. */
export class InputEnded extends Error {
  override readonly name = 'InputEnded';
}

/** Streams that may be a terminal's. */
interface Streams {
  input: Readable & { isTTY?: boolean };
  output: Writable & { isTTY?: boolean };
}

/** Secrets are never shown: a terminal does not echo them. */
export function createPrompter({ input, output }: Streams): Prompter {
  const terminal = (input.isTTY ?? false) && (output.isTTY ?? false);
  // Input before a question, such as a token pasted too early, is not echoed either.
  let isMuted = terminal;
  const shown = new Writable({
    write(chunk: Buffer, _, done) {
      // Muting applies now, so nothing may wait in the buffer.
      if (!isMuted) output.write(chunk);
      done();
    },
  });
  const readline = createInterface({ input, output: shown, terminal, historySize: 0 });
  // The iterator keeps lines that come before their question.
  const lines = readline[Symbol.asyncIterator]();

  return {
    say: (text) => void output.write(`${text}\n`),
    async ask(question, { isSecret = false } = {}) {
      readline.setPrompt(`${question} `);
      isMuted = terminal && isSecret;
      // A script's input may have ended already, with lines still unread.
      if (terminal) readline.prompt();
      if (isMuted || !terminal) output.write(`${question} `);
      const { value, done } = await lines.next();
      isMuted = terminal;
      if (isSecret && terminal) output.write('\n');
      if (done) throw new InputEnded('The input ended before everything was answered.');
      return value.trim();
    },
    [Symbol.dispose]: () => readline.close(),
  };
}
