import type { types } from '@slack/bolt';
import type { Suggestion } from '../commands/invocation.ts';
import { mostFiles, type Option } from '../commands/option.ts';

/** Slack's own limit for a text field: docs.slack.dev, "Plain-text input element". */
export const longestField = 3_000;

/** docs.slack.dev/reference/block-kit/composition-objects/option-object, `text`. */
const longestChoice = 75;

type Field =
  | types.PlainTextInput
  | types.NumberInput
  | types.StaticSelect
  | types.MultiStaticSelect
  | types.Datepicker
  | types.FileInput;

/** The field that an option is filled in with, holding its value where it has one that fits. */
export function renderField(
  name: string,
  option: Option,
  given: { value: string | undefined; suggestions: readonly Suggestion[] | undefined },
): Field {
  const { value = '', suggestions = [] } = given;
  switch (option.type) {
    case 'file':
      return { type: 'file_input', action_id: name, max_files: option.many ? mostFiles : 1 };
    case 'number':
      return {
        type: 'number_input',
        action_id: name,
        is_decimal_allowed: !option.whole,
        min_value: String(option.min),
        max_value: String(option.max),
        ...(value && { initial_value: value }),
      };
    case 'boolean':
      return renderSelect(name, toChoices(['yes', 'no']), isYes(value));
    case 'choice':
      return renderSelect(name, toChoices(option.choices), value);
    case 'date':
      return {
        type: 'datepicker',
        action_id: name,
        ...(/^\d{4}-\d\d-\d\d$/.test(value) && { initial_date: value }),
      };
    case 'reference':
      // Slack refuses a menu without options.
      if (suggestions.length === 0) return renderText(name, { value, max: longestField });
      return option.many
        ? renderMultiSelect(name, suggestions, value)
        : renderSelect(name, suggestions, value);
    case 'color':
      return renderText(name, { value, max: longestField });
    case 'text': {
      const { maxLength = longestField, multiline = false } = option;
      return renderText(name, { value, max: Math.min(maxLength, longestField), multiline });
    }
  }
}

function isYes(value: string): string {
  if (value === '') return '';
  return ['true', 'yes', 'ja', 'on', '1'].includes(value.toLowerCase()) ? 'yes' : 'no';
}

function renderText(
  name: string,
  { value, max, multiline = false }: { value: string; max: number; multiline?: boolean },
): types.PlainTextInput {
  return {
    type: 'plain_text_input',
    action_id: name,
    multiline,
    max_length: max,
    ...(value && { initial_value: value.slice(0, max) }),
  };
}

function renderSelect(
  name: string,
  choices: readonly Suggestion[],
  value: string,
): types.StaticSelect {
  const chosen = choices.find((choice) => choice.value === value);
  return {
    type: 'static_select',
    action_id: name,
    options: choices.map(toOption),
    ...(chosen && { initial_option: toOption(chosen) }),
  };
}

function renderMultiSelect(
  name: string,
  choices: readonly Suggestion[],
  value: string,
): types.MultiStaticSelect {
  const values = value.split(',').map((each) => each.trim());
  const found = choices.filter((choice) => values.includes(choice.value));
  // A part of what stands there would be saved as all of it.
  const chosen = found.length === values.length ? found : [];
  return {
    type: 'multi_static_select',
    action_id: name,
    options: choices.map(toOption),
    ...(chosen.length > 0 && { initial_options: chosen.map(toOption) }),
  };
}

function toChoices(values: readonly string[]): Suggestion[] {
  return values.map((value) => ({ label: value, value }));
}

function toOption({ label, value }: Suggestion): types.PlainTextOption {
  const text = label.length > longestChoice ? `${label.slice(0, longestChoice - 1)}…` : label;
  return { text: plainText(text), value };
}

/** Text without markup. */
export function plainText(text: string): types.PlainTextElement {
  return { type: 'plain_text', text };
}
