import {
  type APIActionRowComponent,
  type APIButtonComponentWithCustomId,
  ButtonStyle,
  ComponentType,
} from 'discord.js';
import type { CommandButton } from '../commands/invocation.ts';
import { teachPrefix } from '../commands/runner/result-buttons.ts';
import { toBatches } from '../../shared/primitives/iterables.ts';
import { type Button, type ButtonAction, buttonActions } from '../conversation/thread.ts';
import { shorten, withoutTurns } from '../../shared/primitives/text.ts';

const looks: Record<
  ButtonAction,
  { style: APIButtonComponentWithCustomId['style']; emoji?: string }
> = {
  stop: { style: ButtonStyle.Danger },
  retry: { style: ButtonStyle.Primary },
  passages: { style: ButtonStyle.Secondary },
  help: { style: ButtonStyle.Secondary },
  helpful: { style: ButtonStyle.Secondary, emoji: '👍' },
  unhelpful: { style: ButtonStyle.Secondary, emoji: '👎' },
  person: { style: ButtonStyle.Secondary, emoji: '🙋' },
  resume: { style: ButtonStyle.Primary },
  teach: { style: ButtonStyle.Secondary, emoji: '✏️' },
  choose: { style: ButtonStyle.Secondary },
};

/** docs.discord.com/developers/components/reference#button, `label`. */
const maxLabelLength = 80;

/** At most five buttons, in a row below a message; no row if there are none. */
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
    label: shorten(withoutTurns(label), maxLabelLength),
    custom_id: `causeway:${action}:${turn}`,
    ...(emoji && { emoji: { name: emoji } }),
  };
}

/** At most 25 buttons of a command's result, in rows of five; no row if there are none. */
export function renderCommandButtons(
  buttons: readonly CommandButton[],
): APIActionRowComponent<APIButtonComponentWithCustomId>[] {
  const components = buttons.map(({ id, label, danger }): APIButtonComponentWithCustomId => ({
    type: ComponentType.Button,
    style: danger ? ButtonStyle.Danger : ButtonStyle.Secondary,
    label: shorten(withoutTurns(label), maxLabelLength),
    custom_id: id.startsWith(teachPrefix)
      ? `causeway:teach:${id.slice(teachPrefix.length)}`
      : `causeway:command:${id}`,
  }));
  return [...toBatches(components, maxInRow)]
    .slice(0, maxRows)
    .map((row) => ({ type: ComponentType.ActionRow, components: row }));
}

/** docs.discord.com/developers/components/reference#action-row. */
const maxInRow = 5;
const maxRows = 5;

/** The adapter itself handles buttons that open a modal; the runner handles all others. */
const commandButtonId = /^causeway:command:(?!form:)(.{1,40})$/;
const modalButtonId = /^causeway:command:form:(.{1,40})$/;

/** The id of a command result's button, from its custom id; undefined for any other button. */
export function parseCommandButtonId(id: string): string | undefined {
  return commandButtonId.exec(id)?.[1];
}

/** The id of the modal that a command result's button opens; undefined if it opens none. */
export function parseModalButtonId(id: string): string | undefined {
  return modalButtonId.exec(id)?.[1];
}

const teachId = /^causeway:teach:([^.]{1,30})(?:\.(.{1,30}))?$/;

/** What a button that teaches an answer is for. */
export interface TaughtGap {
  /** The open question. */
  gap: string;
  /** The command's result that the button is below; absent below a refusal. */
  result?: string;
}

/** The open question whose answer a button teaches; undefined if it is another button. */
export function parseTeachId(id: string): TaughtGap | undefined {
  const [, gap, result] = teachId.exec(id) ?? [];
  return gap === undefined ? undefined : { gap, result };
}

const buttonId = new RegExp(`^causeway:(${buttonActions.join('|')}):(.{1,64})$`);

/** Parses the custom id of one of our buttons; undefined for any other button. */
export function parseButtonId(id: string): Pick<Button, 'action' | 'turn'> | undefined {
  const [, action, turn] = buttonId.exec(id) ?? [];
  return action && action !== 'teach' && turn
    ? { action: action as ButtonAction, turn }
    : undefined;
}
