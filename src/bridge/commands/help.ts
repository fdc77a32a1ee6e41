import { type ActionContext, type Command, defineAction } from './command.ts';
import { typedCommand } from './command-names.ts';
import type { CommandSet } from './invocation.ts';
import type { DescriptionKey, Texts } from '../texts/texts.ts';

/** `/help`: lists what the requester may do, by command. */
export const help: Command = {
  name: 'help',
  description: 'help',
  action: defineAction({
    description: 'help',
    shownTo: 'private',
    options: {
      command: { type: 'text', description: 'help command', maxLength: 40 },
    },
    async *run(context, { command: wanted }) {
      const name = wanted?.trim().replace(/^\//, '').toLowerCase();
      const found = context.commands.filter(
        (command) => name === undefined || command.name === name,
      );
      if (found.length === 0) yield context.texts.unknownCommand(context.slash('help'));
      else yield render(found, context);
    },
  }),
};

function render(commands: readonly Command[], context: ActionContext): string {
  const { texts, isManager } = context;
  const sections = commands.map((command) => {
    if ('action' in command) return renderLine(command.name, command.description, context);
    const lines = Object.entries(command.actions)
      .filter(([, action]) => isManager || !action.managersOnly)
      .map(([name, action]) => renderLine(`${command.name} ${name}`, action.description, context));
    return [`**${texts.descriptions[command.description]}**`, ...lines].join('\n');
  });
  const note = isManager ? texts.help.forManagers : texts.help.forEveryone;
  return [texts.help.heading, ...sections, note].join('\n\n');
}

/** Says in a few lines how to ask, and what each command is for: the answer to a bare “help”. */
export function renderShortHelp(
  { names, commands }: CommandSet,
  platform: string,
  texts: Texts,
): string {
  const typed = (words: string) => `\`${typedCommand(names, platform, words)}\``;
  const lines = commands
    .filter(({ name }) => name !== help.name)
    .map(({ name, description }) => `- ${typed(name)}: ${texts.descriptions[description]}`);
  return texts.help.inShort(lines.join('\n'), typed(help.name));
}

function renderLine(
  words: string,
  description: DescriptionKey,
  { texts, slash }: ActionContext,
): string {
  return `- ${slash(words)}: ${texts.descriptions[description]}`;
}
