import type { CommandContext } from '../commands/command.ts';
import { bold } from '../conversation/markdown/plain-text.ts';
import type { Invocation, Result } from '../commands/invocation.ts';
import type { Giver } from '../commands/runner/command-record.ts';
import { isRefusal } from '../conversation/errors.ts';
import { retryWrite } from '../conversation/thread.ts';
import {
  createSharedTarget,
  type ResultTarget,
  showResults,
} from '../commands/adapters/show-results.ts';
import type { ModalPurpose } from './modal.ts';
import { readChannelAccess } from './rooms.ts';
import { isDirect } from './incoming-message.ts';
import type { ShownContent } from './message.ts';
import type { Person } from './people.ts';
import { createChannelTarget, createPrivateTarget, type Responder } from './result-target.ts';
import { textsFor } from '../texts/texts.ts';
import { postMessage } from './send-message.ts';
import type { SlackWorkspace } from './workspace.ts';

/** What running a command needs of its workspace. */
export type RunTools = Omit<SlackWorkspace, 'readSaid'>;

/** A command that a person sent, with everything needed to run it. */
export interface SentCommand {
  purpose: Omit<ModalPurpose, 'responseUrl'>;
  user: string;
  values: Invocation['values'];
  /** A way to answer only the requester, if the platform offers one. */
  responder?: Responder;
  /** As in `CommandContext`. */
  kept?: () => void;
  accepted?: CommandContext['accepted'];
}

/**
 * Runs a command and shows its results, after `change` if given.
 * @throws {PlatformError} when a result can't be shown
 */
export async function runCommand(
  sent: SentCommand,
  tools: RunTools,
  change: (result: Result) => Result | Promise<Result> = (result) => result,
): Promise<void> {
  const { purpose, user, values, responder, kept, accepted } = sent;
  const { command, action, channel, thread } = purpose;
  const { runner, clients, running, sleep } = tools;
  const requester = await tools.people.find(user);
  const context = { ...createContext(requester, { channel, thread }, tools), kept, accepted };
  const use = { command, action, context };
  const results = runner.run({ ...use, values });
  const texts = textsFor(requester.locale);
  const underWay = () => running.count;
  const origin = { client: clients.writes, channel, thread, user, texts, underWay };
  const own = createPrivateTarget({ ...origin, responder });
  const isShared = await runner.isShared({ ...use, values });
  const target = isShared ? createSharedTarget({ shared: createChannelTarget(origin), own }) : own;
  const show: ResultTarget['show'] = async (result, isLast) =>
    target.show(await change(result), isLast);
  await showResults(results, { ...target, show }, sleep);
}

/** Whether a person may use a command there. Never rejects. */
export async function mayUse(
  { command, action, channel, thread }: SentCommand['purpose'],
  user: string,
  tools: RunTools,
): Promise<boolean> {
  const context = createContext(await tools.people.find(user), { channel, thread }, tools);
  return tools.runner.mayUse({ command, action, context });
}

/**
 * Who gives a command where, as far as an interaction tells without asking Slack. The rest is added
 * when the command runs.
 */
export function toGiver(
  { id, name = id }: { id: string; name?: string },
  channel: string,
  { identity }: Pick<RunTools, 'identity'>,
): Giver {
  const place = { platform: 'slack', workspace: identity().teamId, channel };
  return { ...place, requester: { id, name }, locale: 'en-US' };
}

/**
 * The context of a command or button press: who the requester is, and what actions can do for them.
 */
export function createContext(
  requester: Person,
  { channel, thread }: { channel: string; thread?: string },
  tools: RunTools,
): CommandContext {
  const { clients, names, identity, openThread, receiver, sleep, signal } = tools;
  const { name, locale, timeZone } = requester;

  /** The bot can't join a direct message of other people, so the person gets one with the bot. */
  async function postQuestion(content: ShownContent): Promise<{ channel: string; ts: string }> {
    try {
      return await postMessage(clients.writes, { channel, thread_ts: thread }, content);
    } catch (error) {
      if (!isDirect(channel) || !isRefusal(error, 'gone', 'forbidden')) throw error;
      return postMessage(clients.writes, { channel: requester.id }, content);
    }
  }

  return {
    requester,
    platform: 'slack',
    workspace: identity().teamId,
    channel,
    ...(thread && { thread: openThread(channel, thread).address }),
    locale,
    timeZone,
    names,
    channelAccess: () => readChannelAccess(clients.calls, channel),
    signal,
    async ask(question, onPosted) {
      const asks = textsFor(locale).places.asks(bold(name));
      const content = { markdown: `${asks}:\n\n${question}` };
      const post = () => postQuestion(content);
      const posted = await retryWrite(post, { passing: ['rate_limited'], sleep, signal });
      const isHere = posted.channel === channel;
      const inThread = isHere ? thread : undefined;
      const message = {
        id: posted.ts,
        author: requester,
        text: question,
        addressed: 'mention',
        thread: openThread(posted.channel, inThread ?? posted.ts),
      } as const;
      await onPosted?.(message);
      // The answer appears in the thread: the command is done once the question is posted.
      void receiver()?.message(message);
      if (!isHere) return 'direct';
      return inThread === undefined ? 'thread' : 'here';
    },
  };
}
