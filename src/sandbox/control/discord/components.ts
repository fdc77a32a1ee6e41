import type { ShownModal } from '../../discord/changes.ts';
import type { ModalComponent, ModalInput } from '../../discord/interactions/modal-schema.ts';
import { type Component, ComponentType } from '../../discord/messages/components.ts';
import type { Embed } from '../../discord/messages/message-schema.ts';
import type { Control, Field, Input, Modal, Part } from '../shown.ts';

/** The text and components of a message, from top to bottom. */
export function toParts(content: string, embeds: Embed[], components: Component[]): Part[] {
  return [...text(content), ...embeds.flatMap(readEmbed), ...components.flatMap(readComponent)];
}

function text(
  value: string | null | undefined,
  kind: 'text' | 'small' | 'heading' = 'text',
): Part[] {
  return value ? [{ kind, dialect: 'discord', text: value }] : [];
}

function readEmbed({ title, url, author, description, footer, fields }: Embed): Part[] {
  const parts = [
    ...text(author?.name, 'small'),
    ...text(title && url ? `[${title}](${url})` : title, 'heading'),
    ...text(description),
    ...(fields ?? []).flatMap(({ name, value }) => text(`**${name}**\n${value}`)),
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
  const { custom_id: action, disabled, url, options } = component;
  if (component.type === ComponentType.Button) {
    const label = [component.emoji?.name, component.label].filter(Boolean).join(' ');
    const style = stylesByNumber[component.style ?? 0];
    return [{ kind: 'button', action, disabled, label, style, url }];
  }
  if (!options) return [];
  const label = component.placeholder ?? 'Choose';
  const multiple = (component.max_values ?? 1) > 1;
  const choices = options.map(({ value, label, description }) => {
    return { value, label, description: description ?? undefined };
  });
  return [{ kind: 'select', action, disabled, label, options: choices, multiple }];
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
  const required = input.required !== false;
  return { kind: 'field', name, id: name, label, hint, required, input: toInput(input) };
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
        value: value ?? undefined,
        placeholder: placeholder ?? undefined,
        least: min_length ?? undefined,
        most: max_length ?? undefined,
      };
    }
  }
}
