import type { ShownModal } from '../../discord/changes.ts';
import type { ModalComponent, ModalInput } from '../../discord/interactions/modal-schema.ts';
import { ComponentType } from '../../discord/messages/components.ts';
import type { Field, Form, Input } from '../shown.ts';

/** Converts a modal to a form. */
export function toForm({ id, title, components }: ShownModal): Form {
  return { id, title, submit: 'Submit', close: 'Cancel', items: components.flatMap(readComponent) };
}

function readComponent(component: ModalComponent): Form['items'] {
  switch (component.type) {
    case ComponentType.TextDisplay:
      return [{ kind: 'text', dialect: 'discord', text: component.content }];
    case ComponentType.Label: {
      const { label, description } = component;
      return [toField(component.component, label, description ?? undefined)];
    }
    case ComponentType.ActionRow:
      return component.components.map((input) => toField(input, input.label ?? input.custom_id));
  }
}

function toField(input: ModalInput, label: string, hint?: string): Field {
  const { custom_id: name } = input;
  return {
    kind: 'field',
    name,
    id: name,
    label,
    ...(hint && { hint }),
    required: input.required !== false,
    input: toInput(input),
  };
}

const paragraphStyle = 2;

function toInput(input: ModalInput): Input {
  switch (input.type) {
    case ComponentType.FileUpload:
      return { kind: 'file', most: input.max_values ?? 1, types: input.file_types ?? [] };
    case ComponentType.StringSelect: {
      const { options, max_values } = input;
      return {
        kind: 'choice',
        options: options.map(({ value, label }) => ({ value, label })),
        chosen: options.filter((option) => option.default).map(({ value }) => value),
        multiple: (max_values ?? 1) > 1,
        open: false,
      };
    }
    case ComponentType.TextInput: {
      const { value, placeholder, min_length, max_length, style } = input;
      return {
        kind: 'text',
        type: 'text',
        lines: style === paragraphStyle,
        ...(value && { value }),
        ...(placeholder && { placeholder }),
        ...(min_length && { least: min_length }),
        ...(max_length && { most: max_length }),
      };
    }
  }
}
