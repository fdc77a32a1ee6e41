import type { types } from '@slack/bolt';
import { toChoices, yesOrNo } from '../commands/adapters/modal-values.ts';
import type { Suggestion } from '../commands/invocation.ts';
import { maxFiles } from '../commands/files.ts';
import type { NumberOption, Option } from '../commands/option.ts';
import { parseNumber } from '../commands/runner/parse-scalar.ts';
import type { Texts } from '../texts/texts.ts';
import { shorten, withoutTurns } from '../../shared/primitives/text.ts';

/** Slack's limit for a text field: docs.slack.dev, "Plain-text input element". */
export const maxFieldLength = 3_000;

/** docs.slack.dev/reference/block-kit/composition-objects/option-object, `text`. */
const maxChoiceLength = 75;

type Field =
  | types.PlainTextInput
  | types.NumberInput
  | types.StaticSelect
  | types.ExternalSelect
  | types.MultiExternalSelect
  | types.Datepicker
  | types.ConversationsSelect
  | types.UsersSelect
  | types.FileInput;

/** Renders the field of an option in a modal, with its value if there is one that fits. */
export function renderField(
  name: string,
  option: Option,
  given: {
    value: string | undefined;
    /** What the value of a reference refers to. */
    chosen: readonly Suggestion[] | undefined;
    texts: Texts;
  },
): Field {
  const { value = '', chosen = [], texts } = given;
  switch (option.type) {
    case 'file':
      return { type: 'file_input', action_id: name, max_files: option.many ? maxFiles : 1 };
    case 'number':
      return renderNumber(name, option, value);
    case 'boolean':
      return renderSelect(name, toChoices(['yes', 'no'], texts), yesOrNo(value));
    case 'choice':
      return renderSelect(name, toChoices(option.choices, texts), value);
    case 'date':
      return {
        type: 'datepicker',
        action_id: name,
        ...(/^\d{4}-\d\d-\d\d$/.test(value) && { initial_date: value }),
      };
    case 'channel':
      return {
        type: 'conversations_select',
        action_id: name,
        filter: { include: ['public', 'private'] },
        ...(isSlackId(value) && { initial_conversation: value }),
      };
    case 'person':
      return {
        type: 'users_select',
        action_id: name,
        ...(isSlackId(value) && { initial_user: value }),
      };
    case 'group':
      return renderSearch(name, chosen);
    case 'reference':
      return option.many ? renderMultiSearch(name, chosen) : renderSearch(name, chosen);
    case 'color':
      return renderText(name, { value, max: maxFieldLength });
    case 'text': {
      const { maxLength = maxFieldLength, multiline = false } = option;
      return renderText(name, { value, max: Math.min(maxLength, maxFieldLength), multiline });
    }
  }
}

/** Slack refuses a modal whose initial channel or person does not exist, such as a name. */
function isSlackId(value: string): boolean {
  return /^[CDGUW][A-Z0-9]+$/.test(value);
}

/** Slack refuses a modal whose initial number is out of the field's range. */
function renderNumber(name: string, option: NumberOption, value: string): types.NumberInput {
  const number = parseNumber(option, value);
  return {
    type: 'number_input',
    action_id: name,
    is_decimal_allowed: !option.whole,
    min_value: String(option.min),
    max_value: String(option.max),
    ...(number !== undefined && { initial_value: String(number) }),
  };
}

function renderText(
  name: string,
  { value, max, multiline = false }: { value: string; max: number; multiline?: boolean },
): types.PlainTextInput {
  return {
    type: 'plain_text_input',
    action_id: name,
    multiline: multiline || value.includes('\n'),
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

/** A menu that requests suggestions for the typed text, starting with an empty text. */
function renderSearch(name: string, [chosen]: readonly Suggestion[]): types.ExternalSelect {
  return {
    type: 'external_select',
    action_id: name,
    min_query_length: 0,
    ...(chosen && { initial_option: toOption(chosen) }),
  };
}

function renderMultiSearch(name: string, chosen: readonly Suggestion[]): types.MultiExternalSelect {
  return {
    type: 'multi_external_select',
    action_id: name,
    min_query_length: 0,
    ...(chosen.length > 0 && { initial_options: chosen.map(toOption) }),
  };
}

/** A suggestion as a menu option. */
export function toOption({ label, value }: Suggestion): types.PlainTextOption {
  return { text: plainText(shorten(label, maxChoiceLength)), value };
}

/** A text object without markup, in which nothing changes the direction of text. */
export function plainText(text: string): types.PlainTextElement {
  return { type: 'plain_text', text: withoutTurns(text) };
}
