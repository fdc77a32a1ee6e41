import { z } from 'zod';
import type { Block } from '../../slack/block.ts';
import { option, type Option } from '../../slack/elements.ts';
import type { SlackView } from '../../slack/model.ts';
import { plainText } from '../../slack/plain-text.ts';
import type { SlackWorkspace } from '../../slack/slack-workspace.ts';
import type { Choice, Control, Field, Input, Modal, Part } from '../shown.ts';

const textObject = z.object({ type: z.string(), text: z.string() });
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
  option_groups: z.array(z.object({ label: textObject, options: z.array(option) })).optional(),
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
  const { type, action_id: action, confirm } = found;
  const shared = { action, confirm: confirm?.text.text };
  if (type === 'feedback_buttons') {
    return [found.positive_button, found.negative_button].flatMap((button): Control[] =>
      button ? [{ kind: 'button', ...shared, label: button.text.text, value: button.value }] : [],
    );
  }
  if (type === 'button' || type === 'icon_button') {
    const { text, value, url, style } = found;
    return [{ kind: 'button', ...shared, label: text?.text ?? '', value, url, style }];
  }
  const options = optionsOf(found);
  if (options.length === 0) return [];
  const label = found.placeholder?.text ?? 'Choose';
  const multiple = type.startsWith('multi_') || type === 'checkboxes';
  return [{ kind: 'select', ...shared, label, options, multiple }];
}

/** The options of a select, checkboxes, radio buttons or an overflow menu. */
function optionsOf({ options = [], option_groups = [] }: Element): Choice[] {
  const inGroups = option_groups.flatMap(({ label, options: within }) =>
    within.map((one) => ({ ...toChoice(one), group: label.text })),
  );
  return [...options.map(toChoice), ...inGroups];
}

function toChoice({ text, value, description }: Option): Choice {
  return { value, label: text.text, description: description?.text };
}

const inputElement = element.extend({
  action_id: z.string(),
  multiline: z.boolean().optional(),
  initial_value: z.string().optional(),
  min_length: z.number().optional(),
  max_length: z.number().optional(),
  initial_option: option.optional(),
  initial_options: z.array(option).optional(),
  max_files: z.number().optional(),
  filetypes: z.array(z.string()).optional(),
});
type InputElement = z.infer<typeof inputElement>;

const input = z.looseObject({
  block_id: z.string(),
  label: textObject,
  hint: textObject.optional(),
  optional: z.boolean().optional(),
  element: inputElement,
});

/** A modal, from top to bottom. */
export function toModal(view: SlackView, slack: SlackWorkspace): Modal {
  return {
    id: view.id,
    title: view.title.text,
    submit: view.submit?.text,
    close: view.close?.text ?? 'Cancel',
    items: view.blocks.flatMap((block) => readModalBlock(block, slack)),
  };
}

function readModalBlock(block: Block, slack: SlackWorkspace): Modal['items'] {
  if (block.type !== 'input') return readBlock(block);
  const { data } = input.safeParse(block);
  if (!data) return [];
  const field: Field = {
    kind: 'field',
    name: data.element.action_id,
    id: data.block_id,
    label: data.label.text,
    hint: data.hint?.text,
    required: data.optional !== true,
    input: toInput(data.element, slack),
  };
  return [field];
}

const inputTypes: Record<string, Extract<Input, { kind: 'text' }>['type']> = {
  email_text_input: 'email',
  url_text_input: 'url',
  number_input: 'number',
  datepicker: 'date',
  timepicker: 'time',
};

function toInput(found: InputElement, slack: SlackWorkspace): Input {
  const { type } = found;
  if (type === 'file_input') {
    return { kind: 'file', most: found.max_files ?? 10, types: found.filetypes ?? [] };
  }
  const initial = [found.initial_option ?? [], found.initial_options ?? []].flat();
  if (type === 'external_select' || type === 'multi_external_select') {
    const chosen = initial.map(({ value, text }) => ({ value, label: text.text }));
    return { kind: 'search', chosen, multiple: type === 'multi_external_select' };
  }
  const options = choicesOf(found, slack);
  if (options) {
    return {
      kind: 'choice',
      options,
      chosen: [...initial.map(({ value }) => value), ...initialIds(found)],
      multiple: type.startsWith('multi_') || type === 'checkboxes',
      open: type === 'checkboxes' || type === 'radio_buttons',
    };
  }
  const { initial_value, placeholder, min_length, max_length } = found;
  const written = initial_value ?? found['initial_date'] ?? found['initial_time'];
  return {
    kind: 'text',
    type: inputTypes[type] ?? 'text',
    lines: found.multiline ?? false,
    value: typeof written === 'string' ? written : undefined,
    placeholder: placeholder?.text,
    least: min_length,
    most: max_length,
  };
}

/** The choices of an element; undefined if people type a value. */
function choicesOf(found: InputElement, slack: SlackWorkspace): Choice[] | undefined {
  const kind = found.type.replace(/^multi_/, '');
  switch (kind) {
    case 'users_select':
      return slack.users().map(({ id, realName }) => ({ value: id, label: realName }));
    case 'channels_select':
    case 'conversations_select':
      return slack
        .channels()
        .filter((channel) => channel.kind === 'channel')
        .map(({ id, name }) => ({ value: id, label: `#${name}` }));
    case 'static_select':
    case 'checkboxes':
    case 'radio_buttons':
      return optionsOf(found);
    default:
      return undefined;
  }
}

/** The initially selected users, channels or conversations. */
function initialIds(found: InputElement): string[] {
  return ['user', 'channel', 'conversation']
    .flatMap((kind) => [found[`initial_${kind}`], found[`initial_${kind}s`]])
    .flat()
    .filter((id) => typeof id === 'string');
}
