import type { webApi } from '@slack/bolt';
import type { Result } from '../commands/invocation.ts';
import type { ResultTarget } from '../commands/adapters/show-results.ts';
import type { Messages } from '../messages/messages.ts';
import { renderProblem } from '../messages/problem.ts';
import { isRefusal } from '../conversation/platform-error.ts';
import { toPlatformError } from './errors.ts';
import { fitMessage, type RenderedMessage, renderMessage, type ShownContent } from './message.ts';
import { postFile } from './post-file.ts';
import type { Responder } from './responder.ts';
import { editMessage, postMessage } from './thread.ts';

/** Where a command was used, and by whom. */
interface Origin {
  client: webApi.WebClient;
  channel: string;
  thread?: string;
  user: string;
  /** In the requester's language. */
  texts: Messages;
  /** How many commands are running in the workspace. */
  underWay?: () => number;
}

/**
 * The interval between edits of all commands together: replies share the same limit, 50 a minute
 * per workspace.
 */
const minEditIntervalMs = 3_000;

/**
 * Shows a message to everyone in the channel or thread, or as a direct message if the bot may not
 * write there.
 */
export function createChannelTarget(origin: Origin): ResultTarget {
  const { client, channel, thread, user, texts, underWay = () => 1 } = origin;
  let posted: { channel: string; ts: string } | undefined;
  let footer: string | undefined;

  function contentOf({ markdown, buttons = [] }: Result): ShownContent {
    return {
      markdown: fitMessage(markdown, texts),
      commandButtons: buttons,
      ...(footer && { footer }),
    };
  }

  async function post(result: Result): Promise<{ channel: string; ts: string }> {
    try {
      const to = { channel, ...(thread && { thread_ts: thread }) };
      return await postMessage(client, to, contentOf(result));
    } catch (error) {
      if (!isRefusal(error, 'forbidden', 'gone', 'uneditable')) throw error;
      footer = texts.places.notThere;
      return postMessage(client, { channel: user }, contentOf(result));
    }
  }

  async function write(result: Result): Promise<{ channel: string; ts: string }> {
    if (!posted) return post(result);
    try {
      await editMessage(client, posted, contentOf(result));
      return posted;
    } catch (error) {
      if (!isRefusal(error, 'gone', 'uneditable')) throw error;
      return post(result);
    }
  }

  return {
    async show(result) {
      posted = await write(result);
      // A message posted elsewhere is not part of the thread.
      const below = posted.channel === channel ? thread : undefined;
      const to = { channel: posted.channel, thread: below ?? posted.ts };
      for (const file of result.files ?? []) await postFile(client, to, file);
    },
    minIntervalMs: () => minEditIntervalMs * Math.max(1, underWay()),
    messages: () => posted && { channel: posted.channel, messages: [posted.ts] },
  };
}

/**
 * One of a responder's few uses is reserved for the last text; the others are spread out, further
 * and further apart.
 */
const responderIntervalsMs = [2_000, 8_000, 30_000];

/**
 * Shows a message only to the requester, with the first sender that still works; the last resort is
 * a direct message. Files always go by direct message: elsewhere Slack cannot show a file to one
 * person only.
 */
export function createPrivateTarget(origin: Origin & { responder?: Responder }): ResultTarget {
  const { client, channel, thread, user, texts, responder } = origin;
  const direct = createChannelTarget({ client, channel: user, user, texts });
  const render = (result: Result) => renderResult(result, texts);
  let senders: ((result: Result) => Promise<void>)[] = [
    ...(responder ? [(result: Result) => responder.send(render(result))] : []),
    whisper,
    (result) => direct.show(result),
  ];

  async function whisper(result: Result): Promise<void> {
    const to = { channel, user, ...(thread && { thread_ts: thread }) };
    try {
      await client.chat.postEphemeral({ ...to, ...render(result), parse: 'none' });
    } catch (error) {
      throw toPlatformError(error);
    }
  }

  async function showText(result: Result): Promise<void> {
    for (const send of senders) {
      try {
        return await send(result);
      } catch (error) {
        if (senders.length === 1 || isRefusal(error, 'rate_limited')) throw error;
        senders = senders.slice(1);
      }
    }
  }

  return {
    async show(result) {
      const { files = [], ...text } = result;
      if (files.length === 0) return showText(text);
      try {
        await direct.show(result);
      } catch (error) {
        if (isRefusal(error, 'rate_limited', 'failed')) throw error;
        const reason = renderProblem(toPlatformError(error).problem, texts);
        return showText({ ...text, markdown: `${text.markdown}\n\n❌ ${reason}` });
      }
      await showText({ markdown: texts.places.filesSent });
    },
    minIntervalMs: () =>
      (responder && responderIntervalsMs[responderIntervalsMs.length + 1 - responder.usesLeft]) ??
      Infinity,
  };
}

function renderResult({ markdown, buttons = [] }: Result, texts: Messages): RenderedMessage {
  return renderMessage({ markdown: fitMessage(markdown, texts), commandButtons: buttons });
}
