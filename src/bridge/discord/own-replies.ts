import { ComponentType, type Message } from 'discord.js';
import type { Log } from '../../shared/primitives/log.ts';
import { turnId } from '../conversation/inbox/row.ts';
import { saysLater } from '../conversation/message-handler.ts';
import { parseButtonId } from './buttons.ts';
import { toPlatformError } from './errors.ts';
import { isOverheard, toMessageAddress } from './incoming-message.ts';
import { isWritten } from './message-text.ts';

/** How many messages of a question's thread are read: its reply is among the first ones. */
const maxLength = 100;

/**
 * Leaves out questions that already have a reply, although no row knows of them, as when an
 * older copy of the store is in use. A reply is known by its buttons, which name its turn; by what it
 * replies to; or by the thread that was opened for it. One that still has its Stop button was cut off.
 * Where Discord can't be asked, a question counts as open.
 * @param messages those of one channel, in order, our own among them
 */
export async function withoutAnswered(messages: readonly Message[], log: Log): Promise<Message[]> {
  const own = messages.filter(isReply);
  const open: Message[] = [];
  for (const message of messages) {
    if (isWritten(message) && (await isAnswered(message, own, log))) {
      log.info({ message: message.id }, 'a missed question was answered before');
    } else {
      open.push(message);
    }
  }
  return open;
}

async function isAnswered(message: Message, own: readonly Message[], log: Log): Promise<boolean> {
  const { thread, id } = message;
  try {
    const turn = turnId(await toMessageAddress(message), id);
    if (own.some((reply) => isEnded(reply, turn) || isReplyTo(reply, id, turn))) return true;
    const isOurs = thread?.ownerId === message.client.user.id;
    if (!thread || (!isOurs && isOverheard(message))) return false;
    const said = await thread.messages.fetch({ after: id, limit: maxLength, cache: false });
    const replies = [...said.values()].filter(isReply);
    const isCutOff = replies.some((reply) => actionsOf(reply, turn).includes('stop'));
    return replies.some((reply) => isEnded(reply, turn)) || (replies.length > 0 && !isCutOff);
  } catch (error) {
    log.info(
      { err: toPlatformError(error), message: id },
      'it is unknown whether a question was answered',
    );
    return false;
  }
}

/** Whether a message is one of ours that says more than that a question is tried again. */
function isReply({ author, client, content, system }: Message): boolean {
  return author.id === client.user.id && !system && !saysLater(content);
}

/** Whether a message has the buttons below the end of a turn's reply. */
function isEnded(reply: Message, turn: string): boolean {
  return actionsOf(reply, turn).some((action) => action !== 'stop');
}

function isReplyTo(reply: Message, question: string, turn: string): boolean {
  return reply.reference?.messageId === question && !actionsOf(reply, turn).includes('stop');
}

/** What a message's buttons do that belong to a turn, whichever attempt. */
function actionsOf({ components }: Message, turn: string): string[] {
  return components
    .flatMap((row) => (row.type === ComponentType.ActionRow ? row.components : []))
    .flatMap(({ customId }) => parseButtonId(customId ?? '') ?? [])
    .filter((button) => button.turn.split('.')[0] === turn)
    .map(({ action }) => action);
}
