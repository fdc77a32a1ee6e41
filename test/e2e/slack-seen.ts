import { type BlockElement, elementsOf } from '../../src/sandbox/slack/block.ts';
import type { EphemeralMessage, SlackMessage } from '../../src/sandbox/slack/model.ts';
import { plainText } from '../../src/sandbox/slack/plain-text.ts';
import type { SeenResult } from '../contracts/commands/seat.ts';

export type Seen = SlackMessage | EphemeralMessage;

/** What a message shows. */
export function toResult(message: Seen | undefined): SeenResult {
  if (!message) throw new Error('nothing was shown');
  const raw = JSON.stringify([message.text, message.blocks]);
  return {
    id: message.ts,
    text: readText(message),
    buttons: buttonsOf(message).map(({ text }) => text),
    pings: raw.match(/<(?:!(?:channel|here|everyone|subteam)|@)[^>]*>/g) ?? [],
  };
}

/** The text as Markdown: bold has one star in a section. */
function readText(message: Seen): string {
  const text = plainText(message);
  const inSections = message.blocks?.some(({ type }) => type === 'section');
  return inSections ? text.replace(/(?<!\*)\*(?!\*)([^*\n]+)(?<!\*)\*(?!\*)/g, '**$1**') : text;
}

export function buttonsOf(message: Seen | undefined): { action: string; text: string }[] {
  return elementsOf(message?.blocks ?? []).flatMap(({ block, element }) => {
    if (block.type !== 'actions') return [];
    const { text } = element['text'] as { text: string };
    return [{ action: element.action_id ?? '', text }];
  });
}

interface Choice {
  value: string;
}

/** The value of a field; several choices separated by commas. */
export function valueOf(element: BlockElement): string {
  const typed = element['initial_value'];
  if (typeof typed === 'string') return typed;
  const one = element['initial_option'] as Choice | undefined;
  const several = element['initial_options'] as Choice[] | undefined;
  return (several ?? (one ? [one] : [])).map(({ value }) => value).join(', ');
}
