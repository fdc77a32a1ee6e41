import type { ShownMessage, ShownModal } from '../../src/sandbox/discord/changes.ts';
import { flatten, ComponentType } from '../../src/sandbox/discord/messages/components.ts';
import type { SeenResult } from '../contracts/commands/seat.ts';

/** What a message shows. */
export function toResult(message: ShownMessage | undefined): SeenResult {
  if (!message) throw new Error('nothing was shown');
  const { everyone, users, roles } = message.pings;
  return {
    id: message.id,
    text: message.content,
    buttons: buttonsOf(message).map(({ label }) => label),
    pings: [...(everyone ? ['@everyone'] : []), ...users, ...roles],
  };
}

interface Button {
  label: string;
  custom_id: string;
}

export function buttonsOf({ components }: ShownMessage): Button[] {
  const isButton = (component: object): component is Button =>
    'type' in component && component.type === ComponentType.Button && 'custom_id' in component;
  return flatten(components).flatMap((component) => (isButton(component) ? [component] : []));
}

/** The values of a modal's fields; several choices separated by commas. */
export function fieldsOf({ components }: ShownModal): Record<string, string> {
  const inputs = components.flatMap((each) => ('component' in each ? [each.component] : []));
  return Object.fromEntries(
    inputs.map((input) => {
      if ('options' in input) {
        const chosen = input.options.filter((option) => option.default);
        return [input.custom_id, chosen.map(({ value }) => value).join(', ')];
      }
      return [input.custom_id, 'value' in input ? (input.value ?? '') : ''];
    }),
  );
}
