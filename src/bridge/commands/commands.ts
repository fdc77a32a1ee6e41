import { agent } from './agent/agent.ts';
import { ask } from './ask.ts';
import { chatbot } from './chatbot/chatbot.ts';
import { type Command, defineAction, type ActionContext } from './command.ts';
import { handover } from './hand-over.ts';
import { gaps } from './gaps.ts';
import { session } from './session/session.ts';
import { source } from './source/source.ts';
import { tag } from './tag.ts';
import { typedCommand, type CommandSet } from './invocation.ts';
import type { DescriptionKey, Texts } from '../texts/texts.ts';

/** `/help`: lists what the requester may do, by command. */
const help: Command = {
  name: 'help',
  description: 'help',
  action: defineAction({
    description: 'help',
    shownTo: 'private',
    options: {
      command: { type: 'text', description: 'help command', maxLength: 40 },
    },
    async run(context, { command: wanted }) {
      const name = wanted?.trim().replace(/^\//, '').toLowerCase();
      const found = context.commands.filter(
        (command) => name === undefined || command.name === name,
      );
      if (found.length === 0) return context.texts.unknownCommand(context.slash('help'));
      return render(found, context);
    },
  }),
};

/** All commands, in the order in which help lists them. */
export const commands: readonly Command[] = [
  ask,
  source,
  tag,
  agent,
  chatbot,
  session,
  handover,
  gaps,
  help,
];

function render(commands: readonly Command[], context: ActionContext): string {
  const { texts, isManager } = context;
  const sections = commands.map((command) => {
    if ('action' in command) {
      const { managersOnly } = command.action;
      if (managersOnly && !isManager) return '';
      return renderLine(command.name, command.description, context);
    }
    const lines = Object.entries(command.actions)
      .filter(([, action]) => isManager || !action.managersOnly)
      .map(([name, action]) => renderLine(`${command.name} ${name}`, action.description, context));
    return [`**${texts.descriptions[command.description]}**`, ...lines].join('\n');
  });
  const note = isManager ? texts.help.forManagers : texts.help.forEveryone;
  return [texts.help.heading, ...sections, note].filter(Boolean).join('\n\n');
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
