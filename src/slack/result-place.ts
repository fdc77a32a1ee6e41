import type { webApi } from '@slack/bolt';
import type { ResultPlace } from '../commands/show-texts.ts';
import { PlatformError } from '../conversation/platform-error.ts';
import type { MessageContent } from '../conversation/ports.ts';
import { toPlatformError } from './errors.ts';
import { fitMessage, renderMessage } from './message.ts';
import type { Responder } from './responder.ts';
import { editMessage, postMessage } from './thread.ts';

/** Where a command was used, and by whom. */
interface Origin {
  client: webApi.WebClient;
  channel: string;
  user: string;
}

const notThere = 'I can’t write in the channel where you used the command, so I answer you here.';
const editGapMs = 1_000;

/** A message for everyone in the channel, or a direct message where the bot may not write. */
export function createChannelPlace({ client, channel, user }: Origin): ResultPlace {
  let posted: { channel: string; ts: string } | undefined;
  let footer: string | undefined;

  function contentOf(markdown: string): MessageContent {
    return { markdown: fitMessage(markdown), ...(footer && { footer }) };
  }

  async function post(markdown: string): Promise<{ channel: string; ts: string }> {
    try {
      return await postMessage(client, { channel }, contentOf(markdown));
    } catch (error) {
      if (!isKind(error, 'forbidden', 'gone', 'uneditable')) throw error;
      footer = notThere;
      return postMessage(client, { channel: user }, contentOf(markdown));
    }
  }

  return {
    async show(markdown) {
      if (!posted) {
        posted = await post(markdown);
        return;
      }
      try {
        await editMessage(client, posted, contentOf(markdown));
      } catch (error) {
        if (!isKind(error, 'gone', 'uneditable')) throw error;
        posted = await post(markdown);
      }
    },
    gapMs: () => editGapMs,
  };
}

/** Of a responder's few uses, one stays for the last text; the others are spent ever more slowly. */
const responderGapsMs = [2_000, 8_000, 30_000];

/** A message for the requester alone, by whatever way is still open; at last a direct message. */
export function createPrivatePlace(origin: Origin & { responder: Responder }): ResultPlace {
  const { client, channel, user, responder } = origin;
  const direct = createChannelPlace({ client, channel: user, user });
  let ways: ((markdown: string) => Promise<void>)[] = [
    (markdown) => responder.send(renderMessage({ markdown: fitMessage(markdown) })),
    whisper,
    (markdown) => direct.show(markdown),
  ];

  async function whisper(markdown: string): Promise<void> {
    const message = renderMessage({ markdown: fitMessage(markdown) });
    try {
      await client.chat.postEphemeral({ channel, user, ...message, parse: 'none' });
    } catch (error) {
      throw toPlatformError(error);
    }
  }

  return {
    async show(markdown) {
      for (const way of ways) {
        try {
          return await way(markdown);
        } catch (error) {
          if (ways.length === 1 || isKind(error, 'rate_limited')) throw error;
          ways = ways.slice(1);
        }
      }
    },
    gapMs: () => responderGapsMs[responderGapsMs.length + 1 - responder.left] ?? Infinity,
  };
}

function isKind(error: unknown, ...kinds: PlatformError['kind'][]): boolean {
  return error instanceof PlatformError && kinds.includes(error.kind);
}
