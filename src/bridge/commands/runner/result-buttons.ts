import { randomBytes } from 'node:crypto';
import type { Access } from '../../conversation/access.ts';
import { createLru } from '../../../shared/primitives/cache.ts';
import {
  type Command,
  type CommandContext,
  type Outcome,
  type PressAction,
  toViewer,
} from '../command.ts';
import {
  findAction,
  type Invocation,
  type Pressed,
  type Result,
  type Results,
} from '../invocation.ts';
import { ask } from '../commands.ts';
import { escapeMarkdown } from '../../conversation/markdown/plain-text.ts';
import { textsFor } from '../../texts/texts.ts';

/** What a button may add when it runs a command again. */
export type Repeatable<Given> = Given & { confirmed?: true; isWhole?: true };

/** The buttons below results, and what they do when pressed. */
export interface ResultButtons {
  /** Converts an outcome of a command for a platform: each button gets an id. */
  toResult(outcome: string | Outcome, of: Omit<Invocation, 'values'>): Result;
  /** The command that the button with this id runs, if it runs one. */
  commandOf(id: string): Pick<Invocation, 'command' | 'action'> | undefined;
  /**
   * Runs the action of the button with this id and label. A press by somebody who may not, or
   * elsewhere, changes nothing. Never throws.
   */
  press(id: string, context: CommandContext, label?: string): Promise<Pressed>;
}

/** What these buttons do is what they say, so nothing is kept: they work for ever. */
const askPrefix = 'ask.';
type KeptAction = Exclude<PressAction, { kind: 'ask' }>;

interface KeptButton {
  onPress: KeptAction;
  /** The command whose result has the button. */
  of: Omit<Invocation, 'values'>;
  /** Whether everyone in the channel sees the result. */
  isPublic: boolean;
  until: number;
  isUsed?: true;
}

const maxKept = 2_000;
const keptMs = 60 * 60 * 1000;

/**
 * Keeps button actions in memory for an hour, at most 2,000 of them: beyond that, the least
 * recently used one is dropped.
 */
export function createResultButtons(options: {
  commands: readonly Command[];
  /** Milliseconds. */
  now: () => number;
  /** Runs a command for the person who pressed a button. */
  run(invocation: Repeatable<Invocation>): Results;
  /** What somebody reads who may not use a command there; undefined if they may. Never rejects. */
  refusalTo(use: Omit<Invocation, 'values'>): Promise<string | Outcome | undefined>;
  access: Pick<Access, 'standing' | 'reads'>;
}): ResultButtons {
  const { commands, now, run, refusalTo, access } = options;
  const kept = createLru<KeptButton>(maxKept);

  function keep(button: Omit<KeptButton, 'until'>): string {
    const id = randomBytes(16).toString('base64url');
    kept.set(id, { ...button, until: now() + keptMs });
    return id;
  }

  /** Asks for the person who pressed; the result with the button stays as it is. */
  function askFor(question: string, context: CommandContext): Pressed {
    const asked = run({ command: ask.name, values: { question }, context });
    const ended = async (isShown: boolean) => asked.ended?.(isShown);
    return { place: 'here', results: Object.assign(withoutResults(asked), { ended }) };
  }

  function isForAll({ command, action }: Pick<Invocation, 'command' | 'action'>): boolean {
    return findAction(commands, command, action)?.shownTo === 'channel';
  }

  function perform({ onPress: action, isPublic }: KeptButton, context: CommandContext): Pressed {
    const { channel, thread } = context;
    const at = { channel, ...(thread && { thread: thread.thread }) };
    switch (action.kind) {
      case 'show':
        return { place: 'here', results: toResults({ markdown: action.markdown }) };
      case 'share': {
        const { sharedBy } = textsFor(context.locale);
        const name = escapeMarkdown(context.requester.name);
        const markdown = `${action.markdown}\n\n${sharedBy(name)}`;
        return { place: 'channel', at, results: toResults({ markdown }) };
      }
      case 'run': {
        const { kind: _, ...invocation } = action;
        const results = run({ ...invocation, context });
        const isMoved = !isPublic && isForAll(action) && !context.isElsewhere;
        return isMoved ? { place: 'instead', at, results } : { place: 'here', results };
      }
    }
  }

  function toResult(
    outcome: string | Outcome,
    { command, action, context }: Omit<Invocation, 'values'>,
  ): Result {
    if (typeof outcome === 'string') return { markdown: outcome };
    const { buttons = [], ...rest } = outcome;
    const of = { command, ...(action !== undefined && { action }), context };
    const isPublic = !rest.isPrivate && isForAll({ command, action });
    const toButton = ({ onPress, ...button }: (typeof buttons)[number], index: number) => ({
      id: onPress.kind === 'ask' ? `${askPrefix}${index}` : keep({ onPress, of, isPublic }),
      ...button,
    });
    return { ...rest, buttons: buttons.map(toButton) };
  }

  /**
   * The context in which a button works; undefined if it does not for that person there. Those whose
   * result it is may press it in a direct message too, if it is shown there: it works where the
   * command was used, if they are still in that workspace.
   */
  async function contextOf(
    { of: { context: given }, isPublic }: KeptButton,
    pressed: CommandContext,
  ): Promise<CommandContext | undefined> {
    const isInWorkspace =
      given.platform === pressed.platform && given.workspace === pressed.workspace;
    const isHere =
      isInWorkspace &&
      given.channel === pressed.channel &&
      (!given.thread || given.thread.thread === pressed.thread?.thread);
    const isOwn =
      given.platform === pressed.platform && given.requester.id === pressed.requester.id;
    if (isHere) return isPublic || isOwn ? pressed : undefined;
    if (!isOwn) return undefined;
    const { requester, locale, signal, accepted } = pressed;
    const now = { locale, signal, accepted, kept: undefined };
    const there = { ...given, ...now, isElsewhere: true } as const;
    if (isInWorkspace) return { ...there, requester };
    const standing = await access.standing(given, requester.id);
    return standing && { ...there, requester: { ...requester, ...standing } };
  }

  /** Whoever shares a result from a direct message must still be where it is shown. */
  async function maySpeak(context: CommandContext): Promise<boolean> {
    if (!context.isElsewhere) return true;
    const { platform, workspace, channel, thread } = context;
    const address = { platform, workspace, channel, thread: thread?.thread ?? channel };
    // While the store is down, nobody knows.
    return access.reads(toViewer(context), address).catch(() => false);
  }

  /** Told to the person alone, beside the result, which stays as it is. */
  function refuse(result: Result): Pressed {
    return { place: 'private', results: toResults(result) };
  }

  return {
    toResult,
    commandOf(id) {
      if (id.startsWith(askPrefix)) return { command: ask.name };
      const onPress = kept.get(id)?.onPress;
      return onPress?.kind === 'run' ? onPress : undefined;
    },
    async press(id, pressed, label = '') {
      if (id.startsWith(askPrefix) && label) return askFor(label, pressed);
      const button = kept.get(id);
      const context = button && button.until > now() ? await contextOf(button, pressed) : undefined;
      const { forgotten } = textsFor(pressed.locale);
      if (!button || !context) return refuse({ markdown: forgotten });
      const { command, action } = button.onPress.kind === 'run' ? button.onPress : button.of;
      const use = { command, ...(action !== undefined && { action }), context };
      const refusal = await refusalTo(use);
      if (refusal) return refuse(toResult(refusal, use));
      const isShare = button.onPress.kind === 'share';
      if (isShare && !(await maySpeak(context))) return refuse({ markdown: forgotten });
      // After a double press, the second one would report that there is nothing to delete.
      if (button.isUsed) return { place: 'here', results: toResults() };
      if (isForOnce(button.onPress)) button.isUsed = true;
      return perform(button, context);
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

async function* toResults(...results: Result[]): AsyncGenerator<Result> {
  yield* results;
}
