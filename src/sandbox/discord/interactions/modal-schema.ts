import { z } from 'zod';
import {
  ComponentType,
  numberComponents,
  stringSelect,
  textDisplay,
} from '../messages/components.ts';
import { addFault, list, text } from '../validation.ts';

const maxCharacters = 4_000;
const id = z.int().min(0).optional();

/** https://docs.discord.com/developers/components/reference#text-input */
const textInput = z.object({
  type: z.literal(ComponentType.TextInput),
  id,
  custom_id: text(1, 100),
  style: z.literal([1, 2]),
  label: text(1, 45).nullish(),
  min_length: z.int().min(0).max(maxCharacters).nullish(),
  max_length: z.int().min(1).max(maxCharacters).nullish(),
  required: z.boolean().nullish(),
  value: text(0, maxCharacters).nullish(),
  placeholder: text(0, 100).nullish(),
});

/** https://docs.discord.com/developers/components/reference#file-upload */
const fileUpload = z.object({
  type: z.literal(ComponentType.FileUpload),
  id,
  custom_id: text(1, 100),
  min_values: z.int().min(0).max(10).nullish(),
  max_values: z.int().min(1).max(10).nullish(),
  required: z.boolean().nullish(),
  file_types: list(text(1, 32), 0, 10).nullish(),
});

/** https://docs.discord.com/developers/components/reference#label */
const label = z.object({
  type: z.literal(ComponentType.Label),
  id,
  label: text(1, 45),
  description: text(0, 100).nullish(),
  component: z.discriminatedUnion('type', [textInput, stringSelect, fileUpload]),
});

/** The older format, without a label around the input. */
const inputRow = z.object({
  type: z.literal(ComponentType.ActionRow),
  id,
  components: list(
    textInput.superRefine((input, context) => {
      const message = 'This field is required';
      if (!input.label) addFault(context, { code: 'BASE_TYPE_REQUIRED', message }, ['label']);
    }),
    1,
    1,
  ),
});

/**
 * A modal:
 * https://docs.discord.com/developers/interactions/receiving-and-responding#interaction-response-object-modal
 */
export const modalSchema = z
  .object({
    custom_id: text(1, 100),
    title: text(1, 45),
    components: list(z.discriminatedUnion('type', [label, inputRow, textDisplay]), 1, 5),
  })
  .superRefine(({ components }, context) => {
    const ids = inputIds(components);
    if (new Set(ids).size === ids.length) return;
    const message = 'Component custom id cannot be duplicated';
    addFault(context, { code: 'COMPONENT_CUSTOM_ID_DUPLICATED', message }, ['components']);
  })
  .transform((modal) => ({ ...modal, components: numberComponents(modal.components) }));

/** The custom ids of a modal's inputs. */
export function inputIds(components: readonly ModalComponent[]): string[] {
  return components.flatMap((component) => {
    if (component.type === ComponentType.Label) return [component.component.custom_id];
    if (component.type === ComponentType.TextDisplay) return [];
    return component.components.map((input) => input.custom_id);
  });
}

export type ModalInput =
  | z.infer<typeof textInput>
  | z.infer<typeof stringSelect>
  | z.infer<typeof fileUpload>;
export type ModalComponent =
  | z.infer<typeof label>
  | z.infer<typeof inputRow>
  | z.infer<typeof textDisplay>;
