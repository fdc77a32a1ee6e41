import {
  type APILabelComponent,
  type APIModalInteractionResponseCallbackData,
  type APIStringSelectComponent,
  type APITextInputComponent,
  ComponentType,
  type ModalData,
  TextInputStyle,
} from 'discord.js';
import { describeOption, labelOf, toChoices, yesOrNo } from '../commands/adapters/modal-values.ts';
import { renderPlainText } from '../conversation/markdown/plain-text.ts';
import type { Suggestion } from '../commands/invocation.ts';
import type { IncomingFile } from '../commands/files.ts';
import type { Option } from '../commands/option.ts';
import type { Texts } from '../texts/texts.ts';
import { shorten, withoutTurns } from '../../shared/primitives/text.ts';
import { renderMarkdown } from './render.ts';

/**
 * Max fields of a modal; the line with file names does not count:
 * docs.discord.com/developers/interactions/receiving-and-responding#interaction-response-object-modal
 */
export const maxFields = 5;

/** docs.discord.com/developers/components/reference#text-input, `max_length`. */
export const maxFieldLength = 4_000;

/** docs.discord.com/developers/components/reference#label. */
const maxLabelLength = 45;
const maxDescriptionLength = 100;
/** docs.discord.com/developers/components/reference#string-select. */
const maxChoices = 25;
const maxChoiceLength = 100;

const modalId = /^causeway:form:(.{1,40})$/;

/** The id of a modal, from its custom id; undefined if the modal is not ours. */
export function parseModalId(customId: string): string | undefined {
  return modalId.exec(customId)?.[1];
}

/**
 * Renders a modal with a field for each option, filled in where a value fits, below the names of its
 * files.
 */
export function renderModal(options: {
  id: string;
  title: string;
  fields: readonly [string, Option][];
  values: Record<string, string>;
  /** The suggestions, by option; if a list is as long as a menu, there may be more. */
  suggested: Record<string, readonly Suggestion[]>;
  files: readonly IncomingFile[];
  texts: Texts;
}): APIModalInteractionResponseCallbackData {
  const { id, title, fields, values, suggested, files, texts } = options;
  const names = renderMarkdown(files.map(({ name }) => `• ${renderPlainText(name)}`).join('\n'));
  return {
    custom_id: `causeway:form:${id}`,
    title: shorten(title, maxLabelLength),
    components: [
      ...(names
        ? [{ type: ComponentType.TextDisplay as const, content: shorten(names, maxFieldLength) }]
        : []),
      ...fields.map(([name, option]): APILabelComponent => ({
        type: ComponentType.Label,
        label: shorten(labelOf(name, texts), maxLabelLength),
        description: shorten(
          describeOption(option, texts, { maxLength: maxDescriptionLength, maxFieldLength }),
          maxDescriptionLength,
        ),
        component: renderField(name, option, values[name] ?? '', {
          suggested: suggested[name] ?? [],
          texts,
        }),
      })),
    ],
  };
}

function renderField(
  name: string,
  option: Option,
  value: string,
  { suggested, texts }: { suggested: readonly Suggestion[]; texts: Texts },
): APITextInputComponent | APIStringSelectComponent {
  switch (option.type) {
    case 'boolean':
      return renderSelect(name, option, toChoices(['yes', 'no'], texts), [yesOrNo(value)]);
    case 'choice':
      return renderSelect(name, option, toChoices(option.choices, texts), [value]);
    case 'group':
    case 'reference':
      return renderReference(name, option, value, suggested);
    case 'text': {
      const { maxLength = maxFieldLength, multiline } = option;
      return renderText(name, option, {
        value,
        max: Math.min(maxLength, maxFieldLength),
        multiline,
      });
    }
    case 'channel':
    case 'color':
    case 'date':
    case 'file':
    case 'number':
    case 'person':
      return renderText(name, option, { value, max: maxFieldLength });
  }
}

/** A menu if it has room for all suggestions; otherwise a text field for names. */
function renderReference(
  name: string,
  option: Option,
  value: string,
  suggested: readonly Suggestion[],
): APITextInputComponent | APIStringSelectComponent {
  const chosen = value.split(',').flatMap((part) => part.trim() || []);
  const isComplete = chosen.every((each) => suggested.some((one) => one.value === each));
  if (isComplete && suggested.length > 0 && suggested.length < maxChoices) {
    return renderSelect(name, option, suggested, chosen);
  }
  return renderText(name, option, { value, max: maxFieldLength });
}

function renderText(
  name: string,
  option: Option,
  field: { value: string; max: number; multiline?: boolean },
): APITextInputComponent {
  const { required = false } = option;
  const { value, max, multiline = false } = field;
  const isLong = multiline || value.includes('\n') || value.length > 100;
  return {
    type: ComponentType.TextInput,
    custom_id: name,
    style: isLong ? TextInputStyle.Paragraph : TextInputStyle.Short,
    max_length: max,
    required,
    ...(value && { value: value.slice(0, max) }),
  };
}

function renderSelect(
  name: string,
  option: Option,
  choices: readonly Suggestion[],
  chosen: readonly string[],
): APIStringSelectComponent {
  const { required = false } = option;
  const isMany = option.type === 'reference' && option.many === true;
  return {
    type: ComponentType.StringSelect,
    custom_id: name,
    required,
    min_values: required ? 1 : 0,
    max_values: isMany ? choices.length : 1,
    options: choices.map(({ label, value }) => ({
      label: shorten(withoutTurns(label), maxChoiceLength),
      value,
      ...(chosen.includes(value) && { default: true }),
    })),
  };
}

/** The submitted values: a text for each field that was not left empty. */
export function readModal(fields: Iterable<ModalData>): Record<string, string> {
  const filled: Record<string, string> = {};
  for (const field of fields) {
    const text = textOf(field);
    if (text) filled[field.customId] = text;
  }
  return filled;
}

function textOf(field: ModalData): string {
  if ('value' in field && typeof field.value === 'string') return field.value;
  return 'values' in field ? field.values.join(', ') : '';
}
