import { resumeLabel } from '../buttons.ts';
import { splitMarkdown } from '../markdown/split-markdown.ts';
import { retryWrite } from '../reply/retry-write.ts';
import type { Button, Log, MessageContent, Thread } from '../ports.ts';

/** What is said about a hand-over; the first three where the chatbot has no words of its own. */
export const announcements = {
  requested: 'You asked for a person, so I keep quiet in this thread until they are done.',
  started: 'A person is here now.',
  ended: 'I answer here again.',
  hint: `This thread is with people now, so I keep quiet. I answer again once “${resumeLabel}” is pressed.`,
  lapsed: 'People had their time here, so I answer in this thread again.',
  alreadyRequested: 'A person was asked for here already, so I keep quiet in this thread.',
  nobodyTold:
    'I could not tell anyone that a person is needed here. Managers name whom to tell with `/chatbot notify`.',
  toldBefore: 'The people to tell were told a few minutes ago, so I did not call them again.',
  noneFromHere:
    'I can’t reach people from this direct message. Please ask for a person in a channel that I am in.',
  noThread:
    'I can’t hand over to people here: no thread can be opened, so I would fall silent for the whole channel. Please ask for a person in a thread, or in another channel.',
  notOffered: 'Talking to a person is no longer offered here.',
  notHandedOver: 'I answer here already: this thread is not with people.',
};

/** A message of ours that tells of a hand-over. */
export interface Announcement {
  id: string;
  markdown: string;
}

/**
 * Posts a text, in several messages where it is long. A thread must not fall silent without a word,
 * so it waits where the platform is too busy.
 * @throws {PlatformError}
 */
export type Say = (
  thread: Thread,
  markdown: string,
  buttons?: readonly Button[],
) => Promise<Announcement>;

/** @param signal aborted at shutdown: ends the waits for a platform that is too busy */
export function createSay(signal: AbortSignal): Say {
  return async (thread, markdown, buttons = []) => {
    const pieces = splitMarkdown(markdown, thread.limits);
    const last = pieces.pop() ?? markdown;
    const post = (content: MessageContent) =>
      retryWrite(() => thread.post(content), { passing: ['rate_limited'], signal });
    for (const piece of pieces) await post({ markdown: piece });
    const { id } = await post({ markdown: last, buttons });
    return { id, markdown: last };
  };
}

/** Takes the button away that ended a hand-over; one that is left does no harm. */
export async function takeButtonsAway(
  thread: Thread,
  { id, markdown }: Announcement,
  log: Log,
): Promise<void> {
  try {
    await thread.message(id).edit({ markdown });
  } catch (error) {
    log.debug({ err: error, thread: thread.address }, 'a button could not be removed');
  }
}
