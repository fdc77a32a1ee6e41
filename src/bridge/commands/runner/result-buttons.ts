import { randomBytes } from 'node:crypto';
import type { Access } from '../../conversation/access.ts';
import { createLru } from '../../../shared/primitives/cache.ts';
import type { Log } from '../../../shared/primitives/log.ts';
import { explainError } from '../../conversation/errors.ts';
import type { KeyedStore } from '../../conversation/keyed-store.ts';
import {
  type Command,
  type CommandContext,
  type Outcome,
  type PressAction,
  threadOf,
  toViewer,
} from '../command.ts';
import {
  type CommandRunner,
  type CommandUse,
  type Elsewhere,
  findAction,
  type Invocation,
  type Place,
  type Press,
  type Pressed,
  type Result,
  type Results,
} from '../invocation.ts';
import { ask } from '../ask.ts';
import { reviveValues } from '../option.ts';
import { escapeMarkdown } from '../../conversation/markdown/plain-text.ts';
import { textsFor } from '../../texts/texts.ts';

/** What a button may add when it runs a command again. */
export type Repeatable<Given> = Given & { confirmed?: true; isWhole?: true };

/** The buttons below results, and what they do when pressed. */
export interface ResultButtons extends Pick<CommandRunner, 'press' | 'contextAt'> {
  /** Converts an outcome of a command for a platform: each button gets an id. Never rejects. */
  toResult(outcome: string | Outcome, of: CommandUse): Promise<Result>;
  /** The command that the button with this id runs, if it runs one. Rejects when the store is down. */
  commandOf(id: string): Promise<Pick<Invocation, 'command' | 'action'> | undefined>;
  /** Where this person used the command whose result it is. Rejects when the store is down. */
  placeOf(result: string, person: string): Promise<Place | undefined>;
}

/** What these buttons do is what they say, so nothing of it is kept: they work for ever. */
const askPrefix = 'ask.';
/** The adapter opens a form for the turn that follows. Elsewhere, the result's id says where it works. */
export const teachPrefix = 'teach.';
type KeptAction = Exclude<PressAction, { kind: 'ask' | 'teach' }>;

function isKept(onPress: PressAction): onPress is KeptAction {
  return onPress.kind !== 'ask' && onPress.kind !== 'teach';
}

/** What the buttons below one result do: any process may hear a press. */
export interface KeptResult {
  buttons: { onPress: KeptAction; isUsed?: true }[];
  /** The command whose result it is. */
  command: string;
  action?: string;
  /** Who used it where. */
  requester: string;
  place: { platform: string; workspace: string; channel: string; thread?: string };
  /** Whether everyone in the channel sees the result. */
  isPublic: boolean;
  /** Milliseconds since the epoch. */
  until: number;
}

const keptMs = 60 * 60 * 1000;
/** Within this time, the same press again was meant once. */
const doublePressMs = 5_000;

/** Keeps what buttons do for an hour. */
export function createResultButtons(options: {
  commands: readonly Command[];
  store: KeyedStore<KeptResult>;
  /** Milliseconds since the epoch. */
  now: () => number;
  log: Log;
  /** Runs a command for the person who pressed a button. */
  run(invocation: Repeatable<Invocation>): Results;
  /** What somebody reads who may not use a command there; undefined if they may. Never rejects. */
  refusalTo(use: CommandUse): Promise<string | Outcome | undefined>;
  access: Pick<Access, 'standing' | 'reads'>;
}): ResultButtons {
  const { commands, store, now, log, run, refusalTo, access } = options;
  /** When a suggested question was asked last. */
  const askedAt = createLru<number>(1_000);

  /** Resolves with the id of a result. Without a store, its buttons say that they are forgotten. */
  async function keep(result: Omit<KeptResult, 'until'>): Promise<string> {
    const id = randomBytes(16).toString('base64url');
    try {
      await store.set(id, { ...result, until: now() + keptMs }, keptMs);
    } catch (error) {
      log.error({ err: error, command: result.command }, 'the buttons of a result were not stored');
    }
    return id;
  }

  async function find(id: string): Promise<KeptResult | undefined> {
    const kept = await store.get(id);
    return kept && kept.until > now() ? kept : undefined;
  }

  /** Whether this is the first press of a button that works once. */
  async function isFirst(id: string, index: number): Promise<boolean> {
    const use = (kept: KeptResult): KeptResult => ({
      ...kept,
      buttons: kept.buttons.map((each, at) => (at === index ? { ...each, isUsed: true } : each)),
    });
    const { before } = await store.update(id, (kept) => kept && use(kept), keptMs);
    return before?.buttons[index]?.isUsed === undefined;
  }

  /** Asks for the person who pressed; the result with the button stays as it is. */
  function askFor(question: string, context: CommandContext): Pressed {
    const { platform, channel, thread, requester } = context;
    const key = JSON.stringify([platform, channel, thread?.thread, requester.id, question]);
    const isDoubled = now() < (askedAt.get(key) ?? -Infinity) + doublePressMs;
    if (isDoubled) return { place: 'here', results: toResults() };
    askedAt.set(key, now());
    const asked = run({ command: ask.name, values: { question }, context });
    const ended = async (isShown: boolean) => asked.ended?.(isShown);
    return { place: 'here', results: Object.assign(withoutResults(asked), { ended }) };
  }

  function isForAll({ command, action }: Pick<Invocation, 'command' | 'action'>): boolean {
    return findAction(commands, command, action)?.shownTo === 'channel';
  }

  function perform(
    action: KeptAction,
    { isPublic }: KeptResult,
    { context, openFile }: Pick<Press, 'context' | 'openFile'>,
  ): Pressed {
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
        const values = reviveValues(action.values, openFile);
        const results = run({ ...invocation, values, context });
        const isMoved = !isPublic && isForAll(action) && !context.isElsewhere;
        return isMoved ? { place: 'instead', at, results } : { place: 'here', results };
      }
    }
  }

  async function toResult(
    outcome: string | Outcome,
    { command, action, context }: CommandUse,
  ): Promise<Result> {
    if (typeof outcome === 'string') return { markdown: outcome };
    const { buttons = [], ...rest } = outcome;
    const actions = buttons.map(({ onPress }) => onPress).filter(isKept);
    const { platform, workspace, channel, thread, requester } = context;
    const id =
      buttons.some(({ onPress }) => onPress.kind !== 'ask') &&
      (await keep({
        buttons: actions.map((onPress) => ({ onPress })),
        command,
        action,
        requester: requester.id,
        place: { platform, workspace, channel, thread: thread?.thread },
        isPublic: !rest.isPrivate && isForAll({ command, action }),
      }));
    let next = 0;
    const idOf = (onPress: PressAction, index: number) => {
      if (onPress.kind === 'ask') return `${askPrefix}${index}`;
      if (onPress.kind === 'teach') return `${teachPrefix}${onPress.turn}.${id}`;
      return `${id}.${next++}`;
    };
    const toButton = ({ onPress, ...button }: (typeof buttons)[number], index: number) => ({
      id: idOf(onPress, index),
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
    { place, requester: by, isPublic }: KeptResult,
    press: Press,
  ): Promise<CommandContext | undefined> {
    const { platform, requester } = press.context;
    if (place.platform !== platform) return undefined;
    const mayPress = by === requester.id || (isPublic && isAt(place, press.context));
    return mayPress ? contextAt(place, press) : undefined;
  }

  async function contextAt(
    place: Place,
    { context: pressed, contextIn }: Elsewhere,
  ): Promise<CommandContext | undefined> {
    if (isAt(place, pressed)) return pressed;
    const { platform, requester, locale, signal, accepted } = pressed;
    const usual = contextIn(place);
    if (!usual) return undefined;
    const there = { ...usual, locale, signal, accepted, isElsewhere: true } as const;
    const { workspace } = place;
    if (workspace === pressed.workspace) return { ...there, requester };
    const standing = await access.standing({ platform, workspace }, requester.id);
    return standing && { ...there, requester: { ...requester, ...standing } };
  }

  /** Whoever shares a result from a direct message must still be where it is shown. */
  async function maySpeak(context: CommandContext): Promise<boolean> {
    if (!context.isElsewhere) return true;
    // While the store is down, nobody knows.
    return access.reads(toViewer(context), threadOf(context)).catch(() => false);
  }

  /** Told to the person alone, beside the result, which stays as it is. */
  function refuse(result: Result): Pressed {
    return { place: 'private', results: toResults(result) };
  }

  /** Does what a stored button is for. Rejects when the store is down. */
  async function pressKept(press: Press): Promise<Pressed> {
    const { id, index } = parseId(press.id);
    const kept = await find(id);
    const context = kept && (await contextOf(kept, press));
    const onPress = kept?.buttons[index]?.onPress;
    const { forgotten } = textsFor(press.context.locale);
    if (!onPress || !context) return refuse({ markdown: forgotten });
    const { command, action } = onPress.kind === 'run' ? onPress : kept;
    const use = { command, action, context };
    const refusal = await refusalTo(use);
    if (refusal) return refuse(await toResult(refusal, use));
    const isShare = onPress.kind === 'share';
    if (isShare && !(await maySpeak(context))) return refuse({ markdown: forgotten });
    // After a double press, the second one would report that there is nothing to delete.
    if (isForOnce(onPress) && !(await isFirst(id, index))) {
      return { place: 'here', results: toResults() };
    }
    return perform(onPress, kept, { ...press, context });
  }

  return {
    toResult,
    async commandOf(id) {
      if (id.startsWith(askPrefix)) return { command: ask.name };
      const button = parseId(id);
      const onPress = (await find(button.id))?.buttons[button.index]?.onPress;
      return onPress?.kind === 'run' ? onPress : undefined;
    },
    async placeOf(result, person) {
      const kept = await find(result);
      return kept?.requester === person ? kept.place : undefined;
    },
    contextAt,
    async press(press) {
      const { id, context, label = '' } = press;
      if (id.startsWith(askPrefix) && label) return askFor(label, context);
      try {
        return await pressKept(press);
      } catch (error) {
        log.error({ err: error }, 'a result’s button did not work');
        return refuse({ markdown: `❌ ${explainError(error, textsFor(context.locale))}` });
      }
    },
  };
}

/** Whether somebody is where a command was used. */
function isAt({ workspace, channel, thread }: Place, context: CommandContext): boolean {
  if (workspace !== context.workspace || channel !== context.channel) return false;
  return !thread || thread === context.thread?.thread;
}

/** The id of a result, and which of its buttons one is. */
function parseId(button: string): { id: string; index: number } {
  const [id = '', index] = button.split('.');
  return { id, index: Number(index) };
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
