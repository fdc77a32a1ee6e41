import type { webApi } from '@slack/bolt';
import type { Result } from '../commands/invocation.ts';
import type { ResultPlace } from '../commands/show-texts.ts';
import { PlatformError } from '../conversation/platform-error.ts';
import { toPlatformError } from './errors.ts';
import { fitMessage, type RenderedMessage, renderMessage, type ShownContent } from './message.ts';
import { postFile } from './post-file.ts';
import type { Responder } from './responder.ts';
import { editMessage, postMessage } from './thread.ts';

/** Where a command was used, and by whom. */
interface Origin {
  client: webApi.WebClient;
  channel: string;
  user: string;
}

const notThere = 'I can’t write in the channel where you used the command, so I answer you here.';
const filesSent = 'I’ve sent you the file in a direct message.';
const editGapMs = 3_000;

/** A message for everyone in the channel, or a direct message where the bot may not write. */
export function createChannelPlace({ client, channel, user }: Origin): ResultPlace {
  let posted: { channel: string; ts: string } | undefined;
  let footer: string | undefined;

  function contentOf({ markdown, buttons = [] }: Result): ShownContent {
    return {
      markdown: fitMessage(markdown),
      commandButtons: buttons,
      ...(footer && { footer }),
    };
  }

  async function post(result: Result): Promise<{ channel: string; ts: string }> {
    try {
      return await postMessage(client, { channel }, contentOf(result));
    } catch (error) {
      if (!isKind(error, 'forbidden', 'gone', 'uneditable')) throw error;
      footer = notThere;
      return postMessage(client, { channel: user }, contentOf(result));
    }
  }

  async function write(result: Result): Promise<{ channel: string; ts: string }> {
    if (!posted) return post(result);
    try {
      await editMessage(client, posted, contentOf(result));
      return posted;
    } catch (error) {
      if (!isKind(error, 'gone', 'uneditable')) throw error;
      return post(result);
    }
  }

  return {
    async show(result) {
      posted = await write(result);
      const { channel, ts: thread } = posted;
      for (const file of result.files ?? []) await postFile(client, { channel, thread }, file);
    },
    gapMs: () => editGapMs,
  };
}

/** Of a responder's few uses, one stays for the last text; the others are spent ever more slowly. */
const responderGapsMs = [2_000, 8_000, 30_000];

/**
 * A message for the requester alone, by whatever way is still open; at last a direct message. Files
 * come by direct message at once, since Slack shows none to one person alone elsewhere.
 */
export function createPrivatePlace(origin: Origin & { responder: Responder }): ResultPlace {
  const { client, channel, user, responder } = origin;
  const direct = createChannelPlace({ client, channel: user, user });
  let ways: ((result: Result) => Promise<void>)[] = [
    (result) => responder.send(render(result)),
    whisper,
    (result) => direct.show(result),
  ];

  async function whisper(result: Result): Promise<void> {
    try {
      await client.chat.postEphemeral({ channel, user, ...render(result), parse: 'none' });
    } catch (error) {
      throw toPlatformError(error);
    }
  }

  async function showText(result: Result): Promise<void> {
    for (const way of ways) {
      try {
        return await way(result);
      } catch (error) {
        if (ways.length === 1 || isKind(error, 'rate_limited')) throw error;
        ways = ways.slice(1);
      }
    }
  }

  return {
    async show(result) {
      const { files = [], ...text } = result;
      if (files.length === 0) return showText(text);
      await direct.show(result);
      await showText({ markdown: filesSent });
    },
    gapMs: () => responderGapsMs[responderGapsMs.length + 1 - responder.left] ?? Infinity,
  };
}

function render({ markdown, buttons = [] }: Result): RenderedMessage {
  return renderMessage({ markdown: fitMessage(markdown), commandButtons: buttons });
}

function isKind(error: unknown, ...kinds: PlatformError['kind'][]): boolean {
  return error instanceof PlatformError && kinds.includes(error.kind);
}
