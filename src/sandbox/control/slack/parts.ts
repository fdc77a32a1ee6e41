import { z } from 'zod';
import type { Block } from '../../slack/block.ts';
import { plainText } from '../../slack/plain-text.ts';
import type { Choice, Control, Part } from '../shown.ts';

const textObject = z.object({ type: z.string(), text: z.string() });
const option = z.object({ text: textObject, value: z.string(), url: z.string().optional() });
const element = z.looseObject({
  type: z.string(),
  action_id: z.string().optional(),
  text: textObject.optional(),
  value: z.string().optional(),
  url: z.string().optional(),
  style: z.enum(['primary', 'danger']).optional(),
  placeholder: textObject.optional(),
  confirm: z.object({ text: textObject }).optional(),
  options: z.array(option).optional(),
  option_groups: z.array(z.object({ options: z.array(option) })).optional(),
  positive_button: z.object({ text: textObject, value: z.string() }).optional(),
  negative_button: z.object({ text: textObject, value: z.string() }).optional(),
  alt_text: z.string().optional(),
});
type Element = z.infer<typeof element>;

/** Blocks as a reader sees them, from top to bottom. */
export function toParts(blocks: Block[]): Part[] {
  return blocks.flatMap(readBlock);
}

function readBlock(block: Block): Part[] {
  switch (block.type) {
    case 'markdown':
      return [{ kind: 'text', dialect: 'markdown', text: String(block['text']) }];
    case 'section':
      return [
        ...readTexts('text', [block['text'], ...list(block['fields'])]),
        ...readControls([block['accessory']]),
      ];
    case 'context':
      return [joinSmall(readTexts('small', list(block['elements'])))].flat();
    case 'header':
      return readTexts('heading', [block['text']]);
    case 'divider':
      return [{ kind: 'divider' }];
    case 'actions':
    case 'context_actions':
      return readControls(list(block['elements']));
    default: {
      const text = plainText({ text: '', blocks: [block] });
      return text ? [{ kind: 'text', dialect: 'plain', text }] : [];
    }
  }
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

type TextPart = Extract<Part, { text: string }>;

function readTexts(kind: TextPart['kind'], texts: unknown[]): TextPart[] {
  return texts.flatMap((value) => {
    const { success, data } = textObject.safeParse(value);
    if (success)
      return [{ kind, dialect: data.type === 'mrkdwn' ? 'mrkdwn' : 'plain', text: data.text }];
    const image = element.safeParse(value).data?.alt_text;
    return image ? [{ kind, dialect: 'plain', text: image }] : [];
  });
}

/** The elements of a context block share one line. */
function joinSmall(parts: TextPart[]): TextPart[] {
  const [first, ...rest] = parts;
  if (!first || rest.some(({ dialect }) => dialect !== first.dialect)) return parts;
  return [{ ...first, text: parts.map(({ text }) => text).join('  ') }];
}

function readControls(elements: unknown[]): Part[] {
  const controls = elements.flatMap((value) => {
    const { data } = element.safeParse(value);
    return data ? toControls(data) : [];
  });
  return controls.length > 0 ? [{ kind: 'controls', controls }] : [];
}

/**
 * Feedback buttons become two buttons, elements with options become a select, and images are not
 * controls.
 */
function toControls(found: Element): Control[] {
  const { type, action_id, confirm } = found;
  const shared = {
    ...(action_id && { action: action_id }),
    ...(confirm && { confirm: confirm.text.text }),
  };
  if (type === 'feedback_buttons') {
    return [found.positive_button, found.negative_button].flatMap((button): Control[] =>
      button ? [{ kind: 'button', ...shared, label: button.text.text, value: button.value }] : [],
    );
  }
  if (type === 'button' || type === 'icon_button') {
    const { text, value, url, style } = found;
    const more = { ...(value && { value }), ...(url && { url }), style };
    return [{ kind: 'button', ...shared, label: text?.text ?? '', ...more }];
  }
  const options = optionsOf(found);
  if (options.length === 0) return [];
  const label = found.placeholder?.text ?? 'Choose';
  const multiple = type.startsWith('multi_') || type === 'checkboxes';
  return [{ kind: 'select', ...shared, label, options, multiple }];
}

/** The options of a select, checkboxes, radio buttons or an overflow menu. */
export function optionsOf(found: unknown): Choice[] {
  const { data } = element.safeParse(found);
  const groups = data?.option_groups?.flatMap((group) => group.options) ?? [];
  return [...(data?.options ?? []), ...groups].map(({ text, value }) => ({
    value,
    label: text.text,
  }));
}
