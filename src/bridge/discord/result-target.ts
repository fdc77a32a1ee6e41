import type { Result } from '../commands/invocation.ts';
import { isClosed, type ResultTarget } from '../commands/adapters/show-results.ts';
import type { TextFile } from '../conversation/ports.ts';
import { createSplitter } from '../conversation/markdown/split-markdown.ts';
import { type MessagePart, textLimits } from './message.ts';
import { renderMarkdown } from './render.ts';
import type { Writer } from './writer.ts';
import { inSteps } from '../../shared/primitives/in-steps.ts';

/** Where texts are shown. All methods throw PlatformError. */
export interface MessageTarget {
  /** The channel, if the bot can edit the messages there at any later time. */
  readonly channel?: string;
  /** Resolves with the message's id. */
  post(part: MessagePart): Promise<string>;
  edit(id: string, part: MessagePart): Promise<void>;
  remove(id: string): Promise<void>;
  postFile(file: TextFile): Promise<void>;
}

/** Discord refuses more frequent edits; it documents no figure. */
const minEditIntervalMs = 1_000;

/**
 * Shows results with the first target that is still open, in as many messages as needed. A
 * command's own answer closes after 15 minutes.
 */
export function createResultTarget(
  targets: readonly [MessageTarget, ...MessageTarget[]],
): ResultTarget {
  let [target, ...further] = targets;
  let shown: { id: string; part: MessagePart }[] = [];

  async function write(parts: MessagePart[]): Promise<void> {
    for (const [index, part] of parts.entries()) {
      const known = shown[index];
      if (!known) shown.push({ id: await target.post(part), part });
      else if (!isSame(known.part, part)) {
        await target.edit(known.id, part);
        known.part = part;
      }
    }
    for (const { id } of shown.splice(parts.length)) await target.remove(id);
  }

  return {
    async show(result) {
      const parts = await toParts(result);
      for (;;) {
        try {
          await write(parts);
          for (const file of result.files ?? []) await target.postFile(file);
          return;
        } catch (error) {
          const [next, ...rest] = further;
          if (!next || !isClosed(error)) throw error;
          target = next;
          further = rest;
          shown = [];
        }
      }
    },
    minIntervalMs: () => minEditIntervalMs,
    messages: () =>
      target.channel === undefined
        ? undefined
        : { channel: target.channel, messages: shown.map(({ id }) => id) },
  };
}

/** The messages of a result, with its buttons below the last one. */
async function toParts({ markdown, buttons = [] }: Result): Promise<MessagePart[]> {
  const pieces = await inSteps(createSplitter(textLimits)(markdown));
  const texts = pieces.map((text) => showMoments(renderMarkdown(text)));
  return texts.map((text, index) =>
    index === texts.length - 1 ? { text, commandButtons: buttons } : { text },
  );
}

/**
 * Turns timestamps back into Discord's tokens, which rendering has escaped, so that readers see
 * their own time zone: docs.discord.com/developers/reference#message-formatting.
 */
function showMoments(text: string): string {
  return text.replaceAll(/<\u200B(?=t:\d{1,12}:f>)/g, '<');
}

function isSame(a: MessagePart, b: MessagePart): boolean {
  const buttons = (a.commandButtons?.length ?? 0) + (b.commandButtons?.length ?? 0);
  return a.text === b.text && buttons === 0;
}

/** Ordinary messages in a channel; with `replyTo`, as a reply to that message. */
export function createChannelTarget(
  writer: Writer,
  channel: string,
  replyTo?: string,
): MessageTarget {
  return {
    channel,
    post: (part) => writer.post(channel, part, { replyTo }),
    edit: (id, part) => writer.edit(channel, id, part),
    remove: (id) => writer.remove(channel, id),
    postFile: (file) => writer.postFile(channel, file),
  };
}

/** Direct messages to a person. */
export function createDirectMessageTarget(writer: Writer, person: string): MessageTarget {
  let opened: Promise<string> | undefined;

  async function direct(): Promise<MessageTarget> {
    opened ??= writer.openDirect(person);
    return createChannelTarget(writer, await opened);
  }

  return {
    post: async (part) => (await direct()).post(part),
    edit: async (id, part) => (await direct()).edit(id, part),
    remove: async (id) => (await direct()).remove(id),
    postFile: async (file) => (await direct()).postFile(file),
  };
}
