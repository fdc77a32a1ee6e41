import type { Command } from '../command.ts';
import type { CommandTools } from '../command-tools.ts';
import { english } from '../../messages/messages.ts';
import { auditAction } from './audit.ts';
import { changingActions } from './changing.ts';
import { managersAction } from './managers.ts';
import { notifyAction } from './notify.ts';
import { placeActions } from './place.ts';
import { readingActions } from './reading.ts';

/** `/chatbot`: who answers, where, and who may change that. */
export function createChatbotCommand(tools: CommandTools): Command {
  return {
    name: 'chatbot',
    description: english.descriptions['chatbot'],
    actions: {
      ...readingActions(tools),
      ...changingActions(tools),
      ...placeActions(tools),
      managers: managersAction(tools),
      audit: auditAction(tools),
      notify: notifyAction(tools),
    },
  };
}
