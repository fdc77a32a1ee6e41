import {
  type APIActionRowComponent,
  type APIButtonComponentWithCustomId,
  ButtonStyle,
  ComponentType,
} from 'discord.js';
import type { CommandButton } from '../commands/invocation.ts';
import type { Button, ButtonAction } from '../conversation/ports.ts';
import { shorten } from '../primitives/shorten.ts';

const looks: Record<
  ButtonAction,
  { style: APIButtonComponentWithCustomId['style']; emoji?: string }
> = {
  stop: { style: ButtonStyle.Danger },
  retry: { style: ButtonStyle.Primary },
  passages: { style: ButtonStyle.Secondary },
  helpful: { style: ButtonStyle.Secondary, emoji: '👍' },
  unhelpful: { style: ButtonStyle.Secondary, emoji: '👎' },
  person: { style: ButtonStyle.Secondary, emoji: '🙋' },
  resume: { style: ButtonStyle.Primary },
};

/** docs.discord.com/developers/components/reference#button, `label`. */
const maxLabelLength = 80;

/** Buttons, five at most, as a row below a message; no row where there are none. */
export function renderButtons(
  buttons: readonly Button[],
): APIActionRowComponent<APIButtonComponentWithCustomId>[] {
  if (buttons.length === 0) return [];
  return [{ type: ComponentType.ActionRow, components: buttons.map(renderButton) }];
}

function renderButton({ action, label, turn }: Button): APIButtonComponentWithCustomId {
  const { style, emoji } = looks[action];
  return {
    type: ComponentType.Button,
    style,
    label: shorten(label, maxLabelLength),
    custom_id: `causeway:${action}:${turn}`,
    ...(emoji && { emoji: { name: emoji } }),
  };
}

/** The buttons of a command's result, five at most, as a row; no row where there are none. */
export function renderCommandButtons(
  buttons: readonly CommandButton[],
): APIActionRowComponent<APIButtonComponentWithCustomId>[] {
  if (buttons.length === 0) return [];
  const components = buttons.map(({ id, label, danger }): APIButtonComponentWithCustomId => ({
    type: ComponentType.Button,
    style: danger ? ButtonStyle.Danger : ButtonStyle.Secondary,
    label: shorten(label, maxLabelLength),
    custom_id: `causeway:command:${id}`,
  }));
  return [{ type: ComponentType.ActionRow, components }];
}

/** A button that opens a form is the adapter's own; all others do what the runner knows. */
const commandButtonId = /^causeway:command:(?!form:)(.{1,40})$/;
const formButtonId = /^causeway:command:form:(.{1,40})$/;

/** The id of a button of a command's result, from its custom id; undefined where it is none. */
export function parseCommandButtonId(id: string): string | undefined {
  return commandButtonId.exec(id)?.[1];
}

/** The id of the form that a button of a command's result opens; undefined where it opens none. */
export function parseFormButtonId(id: string): string | undefined {
  return formButtonId.exec(id)?.[1];
}

const buttonId = /^causeway:(stop|retry|passages|helpful|unhelpful|person|resume):(.{1,40})$/;

/** What a button of ours stands for, from its custom id; undefined where it is none of ours. */
export function parseButtonId(id: string): Pick<Button, 'action' | 'turn'> | undefined {
  const [, action, turn] = buttonId.exec(id) ?? [];
  return action && turn ? { action: action as ButtonAction, turn } : undefined;
}
