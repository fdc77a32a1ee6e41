import { z } from 'zod';
import type { ShownModal } from '../../discord/changes.ts';
import type { ModalComponent, ModalInput } from '../../discord/interactions/modal-schema.ts';
import { type Component, ComponentType } from '../../discord/messages/components.ts';
import type { Control, Field, Input, Modal, Part } from '../shown.ts';

const embed = z.looseObject({
  title: z.string().optional(),
  description: z.string().optional(),
  url: z.string().optional(),
  author: z.object({ name: z.string() }).optional(),
  footer: z.object({ text: z.string() }).optional(),
  fields: z.array(z.object({ name: z.string(), value: z.string() })).optional(),
});

const control = z.looseObject({
  type: z.number(),
  custom_id: z.string().optional(),
  label: z.string().optional(),
  style: z.number().optional(),
  url: z.string().optional(),
  emoji: z.looseObject({ name: z.string().nullish() }).optional(),
  disabled: z.boolean().optional(),
  placeholder: z.string().optional(),
  max_values: z.number().optional(),
  options: z
    .array(z.object({ label: z.string(), value: z.string(), description: z.string().optional() }))
    .optional(),
});

/** The text and components of a message, from top to bottom. */
export function toParts(content: string, embeds: object[], components: Component[]): Part[] {
  return [...text(content), ...embeds.flatMap(readEmbed), ...components.flatMap(readComponent)];
}

function text(value: string | undefined, kind: 'text' | 'small' | 'heading' = 'text'): Part[] {
  return value ? [{ kind, dialect: 'discord', text: value }] : [];
}

function readEmbed(value: object): Part[] {
  const { data } = embed.safeParse(value);
  if (!data) return [];
  const { title, url, author, description, footer, fields = [] } = data;
  const parts = [
    ...text(author?.name, 'small'),
    ...text(title && url ? `[${title}](${url})` : title, 'heading'),
    ...text(description),
    ...fields.flatMap((field) => text(`**${field.name}**\n${field.value}`)),
    ...text(footer?.text, 'small'),
  ];
  return parts.length > 0 ? [{ kind: 'card', parts }] : [];
}

function readComponent(component: Component): Part[] {
  const { type, components = [], accessory, content } = component;
  switch (type) {
    case ComponentType.ActionRow:
      return controls(components);
    case ComponentType.TextDisplay:
      return text(content);
    case ComponentType.Section:
      return [...components.flatMap(readComponent), ...controls(accessory ? [accessory] : [])];
    case ComponentType.Separator:
      return [{ kind: 'divider' }];
    case ComponentType.Container:
      return [{ kind: 'card', parts: components.flatMap(readComponent) }];
    default:
      return [];
  }
}

function controls(components: Component[]): Part[] {
  const found = components.flatMap(readControl);
  return found.length > 0 ? [{ kind: 'controls', controls: found }] : [];
}

/** https://docs.discord.com/developers/components/reference#button-button-styles */
const stylesByNumber: Record<number, 'primary' | 'danger'> = {
  1: 'primary',
  3: 'primary',
  4: 'danger',
};

function readControl(component: Component): Control[] {
  const { data } = control.safeParse(component);
  if (!data) return [];
  const { custom_id, url, disabled, emoji, label, placeholder, options } = data;
  const shared = { ...(custom_id && { action: custom_id }), ...(disabled && { disabled }) };
  if (data.type === ComponentType.Button) {
    const words = [emoji?.name, label].filter(Boolean).join(' ');
    const style = stylesByNumber[data.style ?? 0];
    return [
      { kind: 'button', ...shared, label: words, ...(style && { style }), ...(url && { url }) },
    ];
  }
  if (!options) return [];
  const multiple = (data.max_values ?? 1) > 1;
  return [{ kind: 'select', ...shared, label: placeholder ?? 'Choose', options, multiple }];
}

/** A modal, from top to bottom. */
export function toModal({ id, title, components }: ShownModal): Modal {
  const items = components.flatMap(readModalComponent);
  return { id, title, submit: 'Submit', close: 'Cancel', items };
}

function readModalComponent(component: ModalComponent): Modal['items'] {
  switch (component.type) {
    case ComponentType.TextDisplay:
      return text(component.content);
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
