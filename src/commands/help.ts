import { type ActionContext, type Command, defineAction } from './command.ts';
import { english, translate } from '../messages/messages.ts';

const says = english.descriptions;

/** `/help`: what the requester may do, by command. */
export const help: Command = {
  name: 'help',
  description: says['help'],
  action: defineAction({
    description: says['help'],
    shownTo: 'private',
    options: {
      command: { type: 'text', description: says['help command'], maxLength: 40 },
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
    return [`**${translate(texts, command.description)}**`, ...lines].join('\n');
  });
  const note = isManager ? texts.help.forManagers : texts.help.forEveryone;
  return [texts.help.heading, ...sections, note].join('\n\n');
}

function renderLine(words: string, description: string, { texts, slash }: ActionContext): string {
  return `- ${slash(words)}: ${translate(texts, description)}`;
}
