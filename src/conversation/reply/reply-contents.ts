import type { Messages } from '../../messages/messages.ts';
import { atOnce, inSteps } from '../../primitives/in-steps.ts';
import { streamingButtons } from '../buttons.ts';
import { closeMarkdown, leaveClosingRoom } from '../markdown/close-markdown.ts';
import { createSplitter, takeSegment } from '../markdown/split-markdown.ts';
import type { Button, MessageContent, Thread } from '../ports.ts';
import { numberMarkers } from './citations.ts';
import type { GrowingMessage } from './growing-message.ts';

/** How a reply ends: what is shown below its text. */
export interface Ending {
  text: string;
  footer: string;
  buttons: readonly Button[];
  /** The markers that have a source; others are removed from the text. */
  markers?: ReadonlySet<string>;
}

/** What the messages of a reply should show. */
export interface ReplyContents {
  /** Splits the newest text. A long one takes long, so other work goes on meanwhile. */
  update(text: string, ending: Ending | undefined): Promise<void>;
  /** The ending as of the last update. */
  readonly ending: Ending | undefined;
  /**
   * The content of each message as of the last update; `written` are those that exist. With
   * `isHeldBack`, the last of these says why the rest does not follow yet.
   */
  list(written: readonly GrowingMessage[], isHeldBack: boolean): MessageContent[];
}

export function createReplyContents(options: {
  thread: Thread;
  /** The turn of the buttons below the reply. */
  turn: string;
  messages: Messages;
  maxCharacters: number;
}): ReplyContents {
  const { thread, turn, messages, maxCharacters } = options;
  const split = createSplitter(leaveClosingRoom(thread.limits));
  let newest: Rendered = { text: '', ending: undefined, pieces: [], last: '', closed: '' };

  function toShownText(text: string, ending: Ending | undefined): string {
    const known = ending ? (ending.markers ?? noMarkers) : undefined;
    const numbered = numberMarkers(ending?.text ?? text, known).text;
    if (numbered.length <= maxCharacters) return numbered;
    return `${closeMarkdown(numbered.slice(0, maxCharacters).replace(halfPair, ''))}\n\n*${messages.thread.attached}*`;
  }

  function withNote(contents: MessageContent[], index: number): MessageContent[] {
    const { markdown = '' } = contents[index] ?? {};
    const note = `\n\n*${messages.thread.heldBack}*`;
    const fits = (text: string) => thread.limits.fits(text + note);
    const { segment } = atOnce(takeSegment(markdown, { fits }));
    return contents.with(index, { markdown: segment + note });
  }

  return {
    get ending() {
      return newest.ending;
    },
    async update(text, ending) {
      if (newest.text === text && newest.ending === ending) return;
      const pieces = await inSteps(split(toShownText(text, ending)));
      const last = pieces.pop() ?? '';
      newest = { text, ending, pieces, last, closed: ending ? last : closeMarkdown(last) };
    },
    list(written, isHeldBack) {
      const { pieces, last, closed, ending } = newest;
      const target = written[pieces.length];
      const appends = target ? target.appends : thread.openStream !== undefined;
      const markdown = appends ? last : closed;
      const { footer = '', buttons = streamingButtons(turn, messages) } = ending ?? {};
      const whole = pieces.map((piece) => ({ markdown: piece }));
      const contents = markdown === '' ? whole : [...whole, { markdown, footer, buttons }];
      const lacksSome = contents.length > written.length;
      return isHeldBack && lacksSome ? withNote(contents, written.length - 1) : contents;
    },
  };
}

/** A text, rendered for messages. */
interface Rendered {
  text: string;
  ending: Ending | undefined;
  /** Of all messages but the last. */
  pieces: readonly string[];
  last: string;
  /** The last one, with unfinished Markdown closed unless the text is final. */
  closed: string;
}

/** A high surrogate whose low surrogate was cut off. */
const halfPair = /[\uD800-\uDBFF]$/;

const noMarkers: ReadonlySet<string> = new Set();
