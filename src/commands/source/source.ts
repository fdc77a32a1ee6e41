import type { Command } from '../command.ts';
import type { CommandTools } from '../command-tools.ts';
import { english } from '../../messages/messages.ts';
import { addingActions } from './adding.ts';
import { changingActions } from './changing.ts';
import { readingActions } from './reading.ts';

/** `/source`: what the chatbot knows. */
export function createSourceCommand(tools: CommandTools): Command {
  return {
    name: 'source',
    description: english.descriptions['source'],
    actions: { ...addingActions(tools), ...readingActions(tools), ...changingActions(tools) },
  };
}
