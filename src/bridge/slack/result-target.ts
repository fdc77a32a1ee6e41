import type { types, webApi } from '@slack/bolt';
import { renderProblem } from '../../shared/problems/problem.ts';
import { isClosed, type ResultTarget, showResults } from '../commands/adapters/show-results.ts';
import type { Result } from '../commands/invocation.ts';
import { isPassingRefusal, isRefusal, PlatformError } from '../conversation/errors.ts';
import { underLease } from '../conversation/leases.ts';
import { type Texts, textsFor } from '../texts/texts.ts';
import { tooFast, toPlatformError, unreachable } from './errors.ts';
import { createMessageWriter, fitMessage, renderInSections, type ShownContent } from './message.ts';
import { postFile } from './files.ts';
import { deleteMessage, editMessage, postMessage, sendEphemeral } from './send-message.ts';
import type { SlackWorkspace } from './workspace.ts';

/** Where a command was used, and by whom. */
interface Origin {
  client: webApi.WebClient;
  channel: string;
  thread?: string;
  user: string;
  /** In the requester's language. */
  texts: Texts;
  /** How many commands are running in the workspace. */
  underWay?: () => number;
  /** A way to answer only the requester, if the platform offers one. */
  responder?: Responder;
  /** A menu below each text. */
  menu?: types.StaticSelect;
}

/**
 * The interval between edits of all commands together: replies share the same limit, 50 a minute
 * per workspace.
 */
const minEditIntervalMs = 3_000;

/**
 * Shows a message to everyone in the channel or thread, or as a direct message if the bot may not
 * write there. The note stands below it.
 */
export function createChannelTarget(origin: Origin, note?: string): ResultTarget {
  const { client, channel, thread, user, texts, underWay = () => 1 } = origin;
  let posted: { channel: string; ts: string } | undefined;
  let footer = note;

  const contentOf = (result: Result) => toContent(result, origin, footer);

  async function post(result: Result): Promise<{ channel: string; ts: string }> {
    try {
      const to = { channel, thread_ts: thread };
      return await postMessage(client, to, await contentOf(result));
    } catch (error) {
      if (!isClosed(error)) throw error;
      footer = texts.places.notThere;
      return postMessage(client, { channel: user }, await contentOf(result));
    }
  }

  async function write(result: Result, isLast: boolean): Promise<{ channel: string; ts: string }> {
    if (!posted) return post(result);
    try {
      await editMessage(client, posted, await contentOf(result));
      return posted;
    } catch (error) {
      const canWait = isRefusal(error, 'rate_limited') && !isLast;
      if (canWait || !isClosed(error)) throw error;
      return post(result);
    }
  }

  return {
    async show(result, isLast = false) {
      posted = await write(result, isLast);
      // A message posted elsewhere is not part of the thread.
      const below = posted.channel === channel ? thread : undefined;
      const to = { channel: posted.channel, thread: below ?? posted.ts };
      for (const file of result.files ?? []) await postFile(client, to, file, texts);
    },
    minIntervalMs: () => minEditIntervalMs * Math.max(1, underWay()),
    messages: () => posted && { channel: posted.channel, messages: [posted.ts] },
    async clear() {
      if (posted) await deleteMessage(client, posted);
      posted = undefined;
    },
  };
}

async function toContent(
  { markdown, buttons }: Result,
  { texts, menu }: Origin,
  footer?: string,
): Promise<ShownContent> {
  return { markdown: await fitMessage(markdown, texts), commandButtons: buttons, menu, footer };
}

/**
 * Shows something once, only to the requester.
 * @throws {PlatformError} when no way works
 */
export async function tellRequester(
  { people, clients, sleep }: Pick<SlackWorkspace, 'people' | 'clients' | 'sleep'>,
  to: Pick<Origin, 'channel' | 'thread' | 'user' | 'responder' | 'menu'>,
  render: (texts: Texts) => string,
): Promise<void> {
  const texts = textsFor((await people.find(to.user)).locale);
  async function* once() {
    yield { markdown: render(texts) };
  }
  const target = createPrivateTarget({ ...to, client: clients.writes, texts });
  return showResults(once(), target, sleep);
}

/**
 * Shows results only to the requester, in the first way that still works; the last resort is a direct
 * message. Only the first and the last one, since each adds a message. Files always go by direct
 * message: elsewhere Slack cannot show a file to one person only.
 */
export function createPrivateTarget(origin: Origin): ResultTarget {
  const { client, channel, thread, user, texts, responder, menu } = origin;
  const inDirect = { client, channel: user, user, texts, menu };
  const direct = createChannelTarget(inDirect, texts.places.notThere);
  const withFiles = createChannelTarget(inDirect, texts.places.othersRead);
  let ways = [
    ...(responder
      ? [async (result: Result) => responder.send(await toContent(result, origin))]
      : []),
    whisper,
    (result: Result) => direct.show(result),
  ];

  async function whisper(result: Result): Promise<void> {
    const to = { channel, user, thread_ts: thread };
    const content = await toContent(result, origin);
    return createMessageWriter().write(content, (rendered) => sendEphemeral(client, to, rendered));
  }

  async function showText(result: Result): Promise<void> {
    for (const way of ways) {
      try {
        return await way(result);
      } catch (error) {
        const isBusy = isRefusal(error, 'rate_limited') && !isClosed(error);
        if (ways.length === 1 || isBusy) throw error;
        ways = ways.slice(1);
      }
    }
  }

  return {
    async show(result) {
      const { files = [], ...text } = result;
      if (files.length === 0) return showText(text);
      try {
        await withFiles.show(result);
      } catch (error) {
        if (isPassingRefusal(error)) throw error;
        const reason = renderProblem(toPlatformError(error).problem, texts);
        return showText({ ...text, markdown: `${text.markdown}\n\n❌ ${reason}` });
      }
      await showText({ markdown: texts.places.filesSent });
    },
    minIntervalMs: () => Infinity,
    async clear() {
      await responder?.remove?.();
    },
  };
}

/** Shows messages only to the person who used a command. */
export interface Responder {
  /** @throws {PlatformError} `uneditable` when the time or the uses are over */
  send(content: ShownContent): Promise<void>;
  /**
   * Removes the message whose button was pressed.
   * @throws {PlatformError} as `send`
   */
  remove?(): Promise<void>;
}

/** docs.slack.dev/interactivity/handling-user-interaction, "Message responses": 5 uses, 30 minutes. */
const maxUses = 5;
const timeoutMs = 10_000;

/**
 * Answers at a response_url, which takes no markdown block. Each answer to a command adds a message;
 * with `replacing`, it replaces the message whose button was pressed.
 */
export function createResponder(options: {
  url: string;
  /** Origins that a response_url may have, in addition to Slack's own. */
  trustedOrigins: readonly string[];
  /** The thread to answer in. */
  thread?: string;
  replacing?: boolean;
}): Responder {
  const { url, trustedOrigins, thread, replacing = false } = options;
  const trusted = ['https://hooks.slack.com', ...trustedOrigins];
  let left = trusted.includes(URL.parse(url)?.origin ?? '') ? maxUses : 0;

  async function respond(body: object): Promise<void> {
    if (left === 0) throw over();
    const answer = await post(url, body);
    if (answer.ok) {
      left -= 1;
      return;
    }
    if (answer.status === 429) {
      throw tooFast((Number(answer.headers.get('retry-after')) || 1) * 1000);
    }
    left = 0;
    throw over();
  }

  return {
    async send(content) {
      await respond({
        ...(await renderInSections(content)),
        response_type: 'ephemeral',
        replace_original: replacing,
        thread_ts: thread,
      });
    },
    ...(replacing && { remove: () => respond({ delete_original: true }) }),
  };
}

async function post(url: string, body: object): Promise<Response> {
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      redirect: 'error',
      signal: underLease(AbortSignal.timeout(timeoutMs)),
    });
    await answer.body?.cancel();
    return answer;
  } catch (error) {
    throw unreachable(error);
  }
}

function over(): PlatformError {
  return new PlatformError('uneditable', 'answer_expired');
}
