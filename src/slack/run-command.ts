import type { CommandContext } from '../commands/command.ts';
import { type CommandTable, findAction, type Invocation } from '../commands/invocation.ts';
import type { IncomingMessage, Thread } from '../conversation/ports.ts';
import type { Clients } from './clients.ts';
import type { FormPurpose } from './form.ts';
import { type People, type Person, toAuthor } from './people.ts';
import type { Responder } from './responder.ts';
import { createChannelPlace, createPrivatePlace } from './result-place.ts';
import { showTexts, type Sleep } from '../commands/show-texts.ts';
import { postMessage } from './thread.ts';

/** What running a command needs of the rest of the adapter. */
export interface CommandTools {
  table: CommandTable;
  clients: Clients;
  people: People;
  /** The team's id. */
  workspace: () => string;
  openThread: (channel: string, thread: string) => Thread;
  receive: (message: IncomingMessage) => Promise<void>;
  sleep: Sleep;
  signal: AbortSignal;
}

/** A command with all it needs, as a person sent it. */
export interface SentCommand {
  purpose: FormPurpose;
  user: string;
  values: Invocation['values'];
  responder: Responder;
}

/** Runs a command and shows what comes of it. @throws {PlatformError} where it can't be shown */
export async function runCommand(sent: SentCommand, tools: CommandTools): Promise<void> {
  const { purpose, user, values, responder } = sent;
  const { command, action, channel } = purpose;
  const { table, clients, sleep } = tools;
  const requester = await tools.people.find(user);
  const texts = table.run({
    command,
    ...(action !== undefined && { action }),
    values,
    context: createContext(requester, channel, tools),
  });
  const origin = { client: clients.writes, channel, user };
  const isShared = findAction(table, command, action)?.shownTo === 'channel';
  const place = isShared
    ? createChannelPlace(origin)
    : createPrivatePlace({ ...origin, responder });
  await showTexts(texts, place, sleep);
}

/** What a person who used a command, or pressed a button of its result, is and can have done. */
export function createContext(
  requester: Person,
  channel: string,
  tools: CommandTools,
): CommandContext {
  const { clients, workspace, openThread, receive, signal } = tools;
  const { name, locale, timeZone } = requester;
  const author = toAuthor(requester);
  return {
    requester: author,
    platform: 'slack',
    workspace: workspace(),
    channel,
    locale,
    ...(timeZone && { timeZone }),
    signal,
    async ask(question) {
      const content = { markdown: question, footer: `${name} asks` };
      const posted = await postMessage(clients.writes, { channel }, content);
      // The answer is the thread's: the command is done once the question stands.
      void receive({
        id: posted.ts,
        author,
        text: question,
        addressed: 'mention',
        thread: openThread(posted.channel, posted.ts),
      });
    },
  };
}
