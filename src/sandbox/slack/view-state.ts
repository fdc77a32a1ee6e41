import { type Block, type BlockElement, elementsOf } from './block.ts';
import type { Option } from './elements.ts';
import { extension, type Upload } from './files.ts';

/** The values of a modal by action id: a text, an option's value, or several of them. */
export type FilledIn = Record<string, string | string[]>;
/** Files in file inputs, by action id. */
export type Dropped = Record<string, Upload[]>;
/** By block id, then by action id: docs.slack.dev/reference/views, `state.values`. */
export type ViewValues = Record<string, Record<string, object>>;

/**
 * The values of a view's inputs as `view.state.values` has them; `files` are those of its file
 * inputs, by action id.
 * @throws {Error} when an option was chosen that is not offered
 */
export function toViewValues(
  blocks: Block[],
  filledIn: FilledIn,
  files: ReadonlyMap<string, object[]> = new Map(),
): ViewValues {
  const values = new Map<string, [actionId: string, value: object][]>();
  for (const { block, element } of elementsOf(blocks)) {
    const { type, action_id: actionId = '' } = element;
    const blockId = block.block_id ?? '';
    const value =
      type === 'file_input'
        ? { files: files.get(actionId) ?? [] }
        : toValue(element, filledIn[actionId]);
    values.set(blockId, [...(values.get(blockId) ?? []), [actionId, { type, ...value }]]);
  }
  return Object.fromEntries(
    [...values].map(([blockId, fields]) => [blockId, Object.fromEntries(fields)]),
  );
}

/**
 * Slack's client-side validation of a modal, by block id: required fields, lengths, numbers and file
 * types.
 */
export function formErrors(
  blocks: Block[],
  values: ViewValues,
  dropped: Dropped,
): Record<string, string> {
  const errors: Record<string, string> = {};
  for (const { block, element } of elementsOf(blocks)) {
    if (block.type !== 'input') continue;
    const id = block.block_id ?? '';
    const value = values[id]?.[element.action_id ?? ''] ?? {};
    const files = dropped[element.action_id ?? ''] ?? [];
    const isOptional = block['optional'] === true;
    const error =
      element.type === 'file_input'
        ? fileError(element, files, isOptional)
        : fieldError(element, value, isOptional);
    if (error) errors[id] = error;
  }
  return errors;
}

/** The field for the selected value, and the element's field for its initial value. */
const choiceFields: Record<string, { selected: string; initial: string }> = {
  users_select: { selected: 'selected_user', initial: 'initial_user' },
  channels_select: { selected: 'selected_channel', initial: 'initial_channel' },
  conversations_select: { selected: 'selected_conversation', initial: 'initial_conversation' },
  multi_users_select: { selected: 'selected_users', initial: 'initial_users' },
  multi_channels_select: { selected: 'selected_channels', initial: 'initial_channels' },
  multi_conversations_select: {
    selected: 'selected_conversations',
    initial: 'initial_conversations',
  },
  datepicker: { selected: 'selected_date', initial: 'initial_date' },
  timepicker: { selected: 'selected_time', initial: 'initial_time' },
  datetimepicker: { selected: 'selected_date_time', initial: 'initial_date_time' },
};

function toValue(element: BlockElement, given: string | string[] | undefined): object {
  switch (element.type) {
    case 'static_select':
    case 'external_select':
    case 'radio_buttons':
    case 'overflow':
      return {
        selected_option:
          given === undefined ? (element['initial_option'] ?? null) : option(element, given),
      };
    case 'checkboxes':
    case 'multi_static_select':
    case 'multi_external_select': {
      const chosen = given === undefined ? undefined : [given].flat();
      const initial = element['initial_options'] ?? [];
      return { selected_options: chosen?.map((value) => option(element, value)) ?? initial };
    }
    default: {
      const choice = choiceFields[element.type];
      if (choice) return { [choice.selected]: given ?? element[choice.initial] ?? null };
      return { value: given === '' ? null : (given ?? element['initial_value'] ?? null) };
    }
  }
}

/** @throws {Error} when the element offers no such option: nobody could have chosen it */
function option(element: BlockElement, given: string | string[]): Pick<Option, 'text' | 'value'> {
  const value = String(given);
  const groups = (element['option_groups'] ?? []) as { options: Option[] }[];
  const options = [
    ...((element['options'] ?? []) as Option[]),
    ...groups.flatMap((group) => group.options),
  ];
  const found = options.find((candidate) => candidate.value === value);
  // As recorded: without the description that it has in the menu.
  if (found) return { text: found.text, value: found.value };
  const offered = options.map((candidate) => candidate.value).join(', ') || 'none';
  throw new Error(`${element.action_id} has no option "${value}". Available: ${offered}.`);
}

const missingText = 'Please complete this required field.';

function fieldError(element: BlockElement, value: object, isOptional: boolean): string | undefined {
  const given = Object.entries(value).find(([key]) => key !== 'type')?.[1] as unknown;
  const isEmpty = given === null || (Array.isArray(given) && given.length === 0);
  if (isEmpty) return isOptional ? undefined : missingText;
  if (typeof given !== 'string') return undefined;
  const { min_length: min = 0, max_length: max = 3_000 } = element;
  if (given.length < Number(min)) return `Please use at least ${Number(min)} characters.`;
  if (given.length > Number(max)) return `Please use at most ${Number(max)} characters.`;
  return undefined;
}

function fileError(
  element: BlockElement,
  files: Upload[],
  isOptional: boolean,
): string | undefined {
  if (files.length === 0) return isOptional ? undefined : missingText;
  const max = Number(element['max_files'] ?? 10);
  if (files.length > max) return `Please choose at most ${max} files.`;
  const types = element['filetypes'];
  if (!Array.isArray(types) || types.length === 0) return undefined;
  const wrong = files.find(({ name }) => !types.includes(extension(name)));
  return wrong && `${wrong.name} is not one of the allowed kinds: ${types.join(', ')}.`;
}
