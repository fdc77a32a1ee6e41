import { agent } from './agent/agent.ts';
import { ask } from './ask.ts';
import { chatbot } from './chatbot/chatbot.ts';
import type { Command } from './command.ts';
import { help } from './help.ts';
import { session } from './session/session.ts';
import { source } from './source/source.ts';
import { tag } from './tag/tag.ts';

/** All commands, in the order in which help lists them. */
export const commands: readonly Command[] = [ask, source, tag, agent, chatbot, session, help];
