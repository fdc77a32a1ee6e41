import { randomBytes } from 'node:crypto';
import { createLru } from '../../primitives/lru.ts';
import type { CommandContext, Outcome, PressAction } from '../command.ts';
import type { Invocation, Pressed, Result, Results } from '../invocation.ts';
import { ask } from '../ask.ts';
import { escapeMarkdown } from '../markdown.ts';
import { messagesFor } from '../../messages/messages.ts';

/** What a button may add when it runs a command again. */
export type Repeatable<Given> = Given & { confirmed?: true; isWhole?: true };

/** The buttons below results, and what they do when pressed. */
export interface ResultButtons {
  /** Converts an outcome for a platform: each button gets an id. */
  toResult(outcome: string | Outcome): Result;
  /** Runs the action of the button with this id and label. Never rejects. */
  press(id: string, context: CommandContext, label?: string): Promise<Pressed>;
}

/** What these buttons do is what they say, so nothing is kept: they work for ever. */
const askPrefix = 'ask.';
type KeptAction = Exclude<PressAction, { kind: 'ask' }>;

const maxKept = 2_000;
const keptMs = 60 * 60 * 1000;

/**
 * Keeps button actions in memory for an hour, at most 2,000 of them: beyond that, the least
 * recently used one is dropped.
 */
export function createResultButtons(options: {
  /** Milliseconds. */
  now: () => number;
  /** Runs a command for the person who pressed a button. */
  run(invocation: Repeatable<Invocation>): Results;
}): ResultButtons {
  const { now, run } = options;
  const kept = createLru<{ onPress: KeptAction; until: number; isUsed?: true }>(maxKept);

  function keep(onPress: KeptAction): string {
    const id = randomBytes(16).toString('base64url');
    kept.set(id, { onPress, until: now() + keptMs });
    return id;
  }

  /** Asks for the person who pressed; the result with the button stays as it is. */
  function askFor(question: string, context: CommandContext): Pressed {
    const asked = run({ command: ask.name, values: { question }, context });
    const ended = async (isShown: boolean) => asked.ended?.(isShown);
    return { place: 'here', results: Object.assign(withoutResults(asked), { ended }) };
  }

  function perform(action: KeptAction, context: CommandContext): Pressed {
    switch (action.kind) {
      case 'show':
        return { place: 'here', results: toResults(action.markdown) };
      case 'share': {
        const { sharedBy } = messagesFor(context.locale);
        const name = escapeMarkdown(context.requester.name);
        return { place: 'channel', results: toResults(`${action.markdown}\n\n${sharedBy(name)}`) };
      }
      case 'run': {
        const { kind: _, ...invocation } = action;
        return { place: 'here', results: run({ ...invocation, context }) };
      }
    }
  }

  return {
    toResult(outcome) {
      if (typeof outcome === 'string') return { markdown: outcome };
      const { buttons = [], ...rest } = outcome;
      const toButton = ({ onPress, ...button }: (typeof buttons)[number], index: number) => ({
        id: onPress.kind === 'ask' ? `${askPrefix}${index}` : keep(onPress),
        ...button,
      });
      return { ...rest, buttons: buttons.map(toButton) };
    },
    async press(id, context, label = '') {
      if (id.startsWith(askPrefix) && label) return askFor(label, context);
      const button = kept.get(id);
      if (!button || button.until <= now())
        return { place: 'here', results: toResults(messagesFor(context.locale).forgotten) };
      // After a double press, the second one would report that there is nothing to delete.
      if (button.isUsed) return { place: 'here', results: toResults() };
      if (isForOnce(button.onPress)) button.isUsed = true;
      return perform(button.onPress, context);
    },
  };
}

/** Whether repeating it would be a mistake: a confirmed deletion, sharing. */
function isForOnce(action: KeptAction): boolean {
  return action.kind === 'share' || (action.kind === 'run' && action.confirmed === true);
}

async function* withoutResults(results: Results): AsyncGenerator<Result> {
  for await (const _ of results) yield* [];
}

async function* toResults(...texts: string[]): AsyncGenerator<Result> {
  for (const markdown of texts) yield { markdown };
}
