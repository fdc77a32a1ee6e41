import type { types } from '@slack/bolt';
import type { Action, Command } from '../commands/command.ts';
import type { Texts } from '../texts/texts.ts';
import { shorten } from '../../shared/primitives/shorten.ts';
import { plainText } from './form-field.ts';

/** The action_id of the menu. */
export const menuAction = 'causeway_menu';

/** docs.slack.dev/reference/block-kit/composition-objects/option-object. */
const maxTextLength = 75;

/** A command, or one of its subcommands. */
export interface MenuEntry {
  command: Command;
  name?: string;
  action: Action;
}

/** Everything that commands can do. */
export function listEntries(commands: readonly Command[]): MenuEntry[] {
  return commands.flatMap((command): MenuEntry[] =>
    'action' in command
      ? [{ command, action: command.action }]
      : Object.entries(command.actions).map(([name, action]) => ({ command, name, action })),
  );
}

/**
 * Renders the menu of commands, a group for each: a choice has the words that people would type.
 * docs.slack.dev/reference/block-kit/block-elements/select-menu-element, "Static options".
 */
export function renderMenu(entries: readonly MenuEntry[], texts: Texts): types.StaticSelect {
  const groups = Map.groupBy(entries, ({ command }) => command);
  const toOption = ({ command, name, action }: MenuEntry) => {
    const words = [command.name, name].filter(Boolean).join(' ');
    const description = shorten(texts.descriptions[action.description], maxTextLength);
    return { text: plainText(words), description: plainText(description), value: words };
  };
  return {
    type: 'static_select',
    action_id: menuAction,
    placeholder: plainText(texts.menu.choose),
    option_groups: [...groups].map(([command, inGroup]) => ({
      label: plainText(shorten(texts.descriptions[command.description], maxTextLength)),
      options: inGroup.map(toOption),
    })),
  };
}
