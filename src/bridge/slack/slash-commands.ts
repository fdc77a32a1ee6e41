import type { App, BlockAction, types } from '@slack/bolt';
import { z } from 'zod';
import { shorten } from '../../shared/primitives/text.ts';
import { renderUsage } from '../commands/adapters/command-text.ts';
import { renderUnknown } from '../commands/adapters/guess.ts';
import { hasOnlySubject, hasSubject } from '../commands/adapters/modal-values.ts';
import { typedCommand, type CommandSet } from '../commands/invocation.ts';
import type { Action, Command } from '../commands/command.ts';
import { type Texts, textsFor } from '../texts/texts.ts';
import { parseCommandText, toReadable } from './mention-commands.ts';
import { plainText } from './modal-fields.ts';
import type { ModalPurpose } from './modal.ts';
import { openModal } from './modal-handlers.ts';
import { createResponder, type Responder, tellRequester } from './result-target.ts';
import { createContext, mayUse, runCommand, toGiver } from './run-command.ts';
import type { SlackWorkspace, Workspaces } from './workspace.ts';

/** Where a command was given, and how to answer it: by a modal, or at a response_url. */
interface Given {
  workspace: SlackWorkspace;
  channel: string;
  user: { id: string; name?: string };
  trigger: string;
  responseUrl: string;
  responder: Responder;
  /** It was chosen from the menu, which the responder replaces. */
  isChosen?: true;
}

/** A command and what was typed after its name. */
interface Typed {
  command: Command;
  /** How its name was typed, such as `/causeway source`. */
  typed: string;
  text: string;
}

/** docs.slack.dev/reference/interaction-payloads/block_actions-payload. */
const chosen = z.object({
  channel: z.object({ id: z.string() }),
  user: z.object({ id: z.string(), name: z.string().optional() }),
  trigger_id: z.string(),
  response_url: z.string(),
});

/** A menu that was emptied has no option. */
const entryOf = z.object({
  type: z.literal('static_select'),
  selected_option: z.object({ value: z.string() }),
});

/**
 * Handles every slash command that Slack delivers, and the menu that the one command opens when it
 * is typed alone. Opens a modal if required input is missing. Slack allows three seconds to
 * acknowledge a command and to open a modal: only the store comes before.
 */
export function handleCommands(app: App, workspaces: Workspaces): void {
  app.command(/^\//, async ({ command: slash, ack }) => {
    const workspace = workspaces.of(slash);
    if (!workspace) return ack();
    const { channel_id: channel, user_id: id, user_name: name, trigger_id: trigger } = slash;
    const { response_url: responseUrl } = slash;
    const { trustedOrigins } = workspace;
    const responder = createResponder({ url: responseUrl, trustedOrigins });
    const given = { workspace, channel, user: { id, name }, trigger, responseUrl, responder };
    await begin(slash, given, ack);
  });

  app.action<BlockAction>({ type: 'block_actions', action_id: menuAction }, async (args) => {
    const { data } = chosen.safeParse(args.body);
    const { data: entry } = entryOf.safeParse(args.action);
    const workspace = workspaces.of(args.body);
    if (!data || !entry || !workspace) return args.ack();
    const { channel, user, trigger_id: trigger, response_url: responseUrl } = data;
    const { runner, trustedOrigins } = workspace;
    const responder = createResponder({ url: responseUrl, trustedOrigins, replacing: true });
    const by = { user, trigger, responseUrl, responder, isChosen: true } as const;
    const given = { workspace, channel: channel.id, ...by };
    const chosenCommand = { command: `/${runner.names.slack}`, text: entry.selected_option.value };
    // A menu of an earlier version may offer a command that no longer exists.
    await begin(chosenCommand, given, args.ack);
  });
}

async function begin(
  delivered: DeliveredCommand,
  given: Given,
  ack: () => Promise<void>,
): Promise<void> {
  const answer = await prepare(delivered, given);
  await ack();
  given.workspace.running.start(answer(), delivered.command);
}

/** Stores a command that runs at once. Resolves with what follows the acknowledgement. */
async function prepare(delivered: DeliveredCommand, given: Given): Promise<() => Promise<void>> {
  const { workspace, channel, user, responseUrl, responder } = given;
  const { runner } = workspace;
  const read = readSlashCommand(runner, delivered);
  if (!read.command) return () => showMenu(read.word && delivered.text, given);
  const parsed = parseCommandText(read.command, read.text);
  if (parsed.kind === 'usage') {
    const { command, typed: name } = read;
    const usage = (texts: Texts) => renderUsage({ name, command, problem: parsed.problem, texts });
    return () => tellRequester(workspace, { channel, user: user.id, responder }, usage);
  }
  const { name, action, values, complete } = parsed;
  const use = { command: read.command.name, action: name };
  const purpose = { ...use, channel, responseUrl };
  const sent = { purpose, user: user.id, values, responder };
  if (!complete || hasOnlySubject(action, values)) {
    return () => askForRest({ purpose, values }, action, given);
  }
  const accepted = await runner.accept({ ...use, context: toGiver(user, channel, workspace) });
  return () => runCommand({ ...sent, accepted }, workspace);
}

async function askForRest(
  { purpose, values }: { purpose: ModalPurpose; values: Record<string, string> },
  action: Action,
  given: Given,
): Promise<void> {
  const { workspace, trigger, responder, isChosen } = given;
  const user = given.user.id;
  // People who may not use the command are told before they fill in a modal.
  if (!(await mayUse(purpose, user, workspace))) {
    return runCommand({ purpose, user, values, responder }, workspace);
  }
  // Only the full modal has fields for other typed values.
  const asksWhich = hasOnlySubject(action, values) && !hasSubject(action, values);
  const stage = asksWhich ? { stage: 'which' as const } : {};
  const modal = { purpose: { ...purpose, ...stage }, action, given: values };
  await openModal({ id: trigger, user }, modal, workspace);
  // The choice stays in the menu, where choosing it again has no effect: a new menu replaces it.
  if (isChosen) await showMenu('', given);
}

/** Offers the commands that the person may use; `text` is what they typed in place of one. */
async function showMenu(
  text: string,
  { workspace, channel, user: { id: user }, responder }: Given,
): Promise<void> {
  const { runner, people } = workspace;
  const person = await people.find(user);
  const texts = textsFor(person.locale);
  const context = createContext(person, { channel }, workspace);
  const entries = listEntries(runner.commands);
  const usable = await Promise.all(
    entries.map(({ command, name: action }) =>
      runner.mayUse({ command: command.name, action, context }),
    ),
  );
  const typed = (words: string) => typedCommand(runner.names, 'slack', words);
  const head = [
    text && renderUnknown(toReadable(text), { commands: runner.commands, texts }, typed),
    texts.menu.head(`\`${typed('ask')}\``, `\`${typed('help')}\``),
  ];
  const usableEntries = entries.filter((_, index) => usable[index]);
  // Actions that everybody may use on their own data alone make no menu.
  if (usableEntries.every(({ action }) => action.isOwn)) {
    const help = { command: 'help', channel };
    return runCommand({ purpose: help, user, values: {}, responder }, workspace);
  }
  const menu = renderMenu(usableEntries, texts);
  const to = { channel, user, responder, menu };
  return tellRequester(workspace, to, () => head.filter(Boolean).join('\n'));
}

/** A slash command as Slack delivers it. */
export interface DeliveredCommand {
  /** Its name with the slash. */
  command: string;
  /** What was typed after it. */
  text: string;
}

/** The command that was typed, or the word in its place; empty if there was none. */
export type SlashCommand = Typed | { command?: undefined; word: string };

/**
 * Reads which command was meant: `/source list`, `/kb-source list` and `/causeway source list` mean
 * the same. Slack delivers only names from the app's manifest, which may be older than the present
 * configuration, so any name is ours.
 */
export function readSlashCommand(set: CommandSet, delivered: DeliveredCommand): SlashCommand {
  const { command: typed, text } = delivered;
  const own = findByName(set, typed.slice(1));
  if (own) return { command: own, typed, text };
  const [, word = '', rest = ''] = /^\s*(\S*)([^]*)/.exec(text) ?? [];
  // Some people type the slash as well, and phones capitalise the first word.
  const noun = word.replace(/^\//, '').toLowerCase();
  const command = set.commands.find(({ name }) => name === noun);
  if (command) return { command, typed: `${typed} ${command.name}`, text: rest };
  const former = findBySuffix(set, typed.slice(1));
  return former ? { command: former, typed, text } : { word };
}

/** Finds a command by its name, with the present prefix or an earlier one that ends in a separator. */
function findByName({ commands, names }: CommandSet, called: string): Command | undefined {
  if (called === names.slack) return undefined;
  return commands.find(
    ({ name }) =>
      called === names.prefix + name || new RegExp(`(?:^|[-_])${name}$`, 'i').test(called),
  );
}

/** A command by its own name with any earlier prefix, such as `/kbsource`. */
function findBySuffix({ commands, names }: CommandSet, called: string): Command | undefined {
  if (called === names.slack) return undefined;
  return commands.find(({ name }) => called.endsWith(name));
}

/** The action_id of the menu. */
const menuAction = 'causeway_menu';

/** docs.slack.dev/reference/block-kit/composition-objects/option-object. */
const maxTextLength = 75;

/** A command, or one of its subcommands. */
interface MenuEntry {
  command: Command;
  name?: string;
  action: Action;
}

/** All commands and subcommands. */
function listEntries(commands: readonly Command[]): MenuEntry[] {
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
function renderMenu(entries: readonly MenuEntry[], texts: Texts): types.StaticSelect {
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
