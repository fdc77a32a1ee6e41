import { z } from 'zod';
import type { Block } from '../../slack/block.ts';
import type { SlackWorkspace } from '../../slack/slack-workspace.ts';
import type { SlackView } from '../../slack/model.ts';
import type { Choice, Field, Form, Input } from '../shown.ts';
import { optionsOf, toParts } from './parts.ts';

const label = z.object({ text: z.string() });
const option = z.object({ value: z.string(), text: label });
const element = z.looseObject({
  type: z.string(),
  action_id: z.string(),
  multiline: z.boolean().optional(),
  initial_value: z.string().optional(),
  placeholder: label.optional(),
  min_length: z.number().optional(),
  max_length: z.number().optional(),
  initial_option: option.optional(),
  initial_options: z.array(option).optional(),
  max_files: z.number().optional(),
  filetypes: z.array(z.string()).optional(),
});
type Element = z.infer<typeof element>;

const input = z.looseObject({
  block_id: z.string(),
  label,
  hint: label.optional(),
  optional: z.boolean().optional(),
  element,
});

/** Converts a modal to a form. */
export function toForm(view: SlackView, slack: SlackWorkspace): Form {
  return {
    id: view.id,
    title: view.title.text,
    ...(view.submit && { submit: view.submit.text }),
    close: view.close?.text ?? 'Cancel',
    items: view.blocks.flatMap((block) => readBlock(block, slack)),
  };
}

function readBlock(block: Block, slack: SlackWorkspace): Form['items'] {
  if (block.type !== 'input') return toParts([block]);
  const { data } = input.safeParse(block);
  if (!data) return [];
  const field: Field = {
    kind: 'field',
    name: data.element.action_id,
    id: data.block_id,
    label: data.label.text,
    ...(data.hint && { hint: data.hint.text }),
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

function toInput(found: Element, slack: SlackWorkspace): Input {
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
    ...(typeof written === 'string' && { value: written }),
    ...(placeholder && { placeholder: placeholder.text }),
    least: min_length,
    most: max_length,
  };
}

/** The choices of an element; undefined if people type a value. */
function choicesOf(found: Element, slack: SlackWorkspace): Choice[] | undefined {
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
function initialIds(found: Element): string[] {
  return ['user', 'channel', 'conversation']
    .flatMap((kind) => [found[`initial_${kind}`], found[`initial_${kind}s`]])
    .flat()
    .filter((id) => typeof id === 'string');
}
