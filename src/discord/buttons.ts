import {
  type APIActionRowComponent,
  type APIButtonComponentWithCustomId,
  ButtonStyle,
  ComponentType,
} from 'discord.js';
import type { Button, ButtonAction } from '../conversation/ports.ts';

const looks: Record<
  ButtonAction,
  { style: APIButtonComponentWithCustomId['style']; emoji?: string }
> = {
  stop: { style: ButtonStyle.Danger },
  retry: { style: ButtonStyle.Primary },
  passages: { style: ButtonStyle.Secondary },
  helpful: { style: ButtonStyle.Secondary, emoji: '👍' },
  unhelpful: { style: ButtonStyle.Secondary, emoji: '👎' },
};

/** docs.discord.com/developers/components/reference#button, `label`. */
const longestLabel = 80;

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
    label: label.length > longestLabel ? `${label.slice(0, longestLabel - 1)}…` : label,
    custom_id: `causeway:${action}:${turn}`,
    ...(emoji && { emoji: { name: emoji } }),
  };
}

const buttonId = /^causeway:(stop|retry|passages|helpful|unhelpful):(.{1,40})$/;

/** What a button of ours stands for, from its custom id; undefined where it is none of ours. */
export function parseButtonId(id: string): Pick<Button, 'action' | 'turn'> | undefined {
  const [, action, turn] = buttonId.exec(id) ?? [];
  return action && turn ? { action: action as ButtonAction, turn } : undefined;
}
