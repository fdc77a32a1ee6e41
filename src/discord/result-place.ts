import type { ResultPlace } from '../commands/show-texts.ts';
import { splitMarkdown } from '../conversation/markdown/split-markdown.ts';
import { isRefusal } from '../conversation/platform-error.ts';
import { textLimits } from './message.ts';
import { renderMarkdown } from './render.ts';
import type { Writer } from './writer.ts';

/** A way to show texts. All throw PlatformError. */
export interface Outlet {
  /** Resolves with the message's id. */
  post(text: string): Promise<string>;
  edit(id: string, text: string): Promise<void>;
  remove(id: string): Promise<void>;
}

/** More often, and Discord would refuse some: it publishes no figure. */
const editGapMs = 1_000;

/**
 * Shows results by the first of the outlets that is still open, in as many messages as it takes.
 * A command's own answer closes after 15 minutes.
 */
export function createResultPlace(outlets: readonly [Outlet, ...Outlet[]]): ResultPlace {
  let [outlet, ...further] = outlets;
  let shown: { id: string; text: string }[] = [];

  async function write(texts: string[]): Promise<void> {
    for (const [index, text] of texts.entries()) {
      const known = shown[index];
      if (!known) shown.push({ id: await outlet.post(text), text });
      else if (known.text !== text) {
        await outlet.edit(known.id, text);
        known.text = text;
      }
    }
    for (const { id } of shown.splice(texts.length)) await outlet.remove(id);
  }

  return {
    async show(markdown) {
      const texts = splitMarkdown(markdown, textLimits).map(renderMarkdown);
      for (;;) {
        try {
          return await write(texts);
        } catch (error) {
          const [next, ...rest] = further;
          if (!next || !isRefusal(error, 'uneditable', 'gone', 'forbidden')) throw error;
          outlet = next;
          further = rest;
          shown = [];
        }
      }
    },
    gapMs: () => editGapMs,
  };
}

/** Ordinary messages in a channel. */
export function createChannelOutlet(writer: Writer, channel: string): Outlet {
  return {
    post: (text) => writer.post(channel, { text }),
    edit: (id, text) => writer.edit(channel, id, { text }),
    remove: (id) => writer.remove(channel, id),
  };
}

/** Direct messages to a person. */
export function createDirectOutlet(writer: Writer, person: string): Outlet {
  let opened: Promise<string> | undefined;

  async function direct(): Promise<Outlet> {
    opened ??= writer.openDirect(person);
    return createChannelOutlet(writer, await opened);
  }

  return {
    post: async (text) => (await direct()).post(text),
    edit: async (id, text) => (await direct()).edit(id, text),
    remove: async (id) => (await direct()).remove(id),
  };
}
