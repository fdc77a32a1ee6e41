/**
 * A step of the tour: what to do, what the page can do for one, and which change shows that it is
 * done.
 *
 * @typedef {object} Step
 * @property {string} title
 * @property {string} text
 * @property {(at: { platform: string, bot: string, origin: string }) => string} [write] what to write in a channel
 * @property {boolean} [isFollowUp] whether it is written in the open thread
 * @property {string} [file] a document to add
 * @property {(change: any, seen: Seen) => boolean} isDone
 *
 * What was seen since the step began.
 *
 * @typedef {object} Seen
 * @property {Set<string>} asked the threads, and direct channels, in which one wrote
 * @property {boolean} isAskedInThread whether one of them was open already
 * @property {(message: any) => boolean} isNew whether no earlier step ended with the message
 */

const isFromBot = ({ kind, message }) => kind === 'message' && message.author.bot;

function isAnswer(change, { asked, isNew }) {
  if (!isFromBot(change) || change.message.onlyFor || !isNew(change.message)) return false;
  return asked.has(change.message.thread ?? change.message.channel);
}

/** The bot speaks English with the sandbox's people. */
function isReady(change, { isNew }) {
  return (
    isFromBot(change) &&
    isNew(change.message) &&
    change.message.parts.some(({ text = '' }) => text.includes(' is ready'))
  );
}

const mentioning =
  (question) =>
  ({ bot }) =>
    `@${bot} ${question}`;

/** @type {Step[]} */
export const steps = [
  {
    title: 'Ask',
    text: 'Mention the bot in a channel and ask it something. The answer opens in a thread.',
    write: mentioning('What can you do?'),
    isDone: isAnswer,
  },
  {
    title: 'Follow up',
    text: 'Ask on in the thread. There, the bot answers without a mention.',
    write: () => 'How do I add a source?',
    isFollowUp: true,
    isDone: (change, seen) => seen.isAskedInThread && isAnswer(change, seen),
  },
  {
    title: 'Add a file',
    text: 'Drop this handbook on a channel and send it. Then point at the message, choose “Add files as sources”, and send the form.',
    file: 'cafe-handbook.md',
    isDone: isReady,
  },
  {
    title: 'Add a page',
    text: 'A command adds a web page. Send it, and wait until the bot says that the page is ready.',
    write: ({ platform, origin }) =>
      `${platform === 'slack' ? '/causeway source url' : '/source url'} ${origin}/sandbox/samples/events.html`,
    isDone: isReady,
  },
  {
    title: 'Ask about it',
    text: 'Ask something that only the handbook or the page knows.',
    write: mentioning('What is the lighthouse blend?'),
    isDone: isAnswer,
  },
  {
    title: 'See the citation',
    text: 'Below the answer are its sources. “Show passages” shows you the words that it is taken from.',
    isDone: (change) => isFromBot(change) && change.message.onlyFor !== undefined,
  },
];
