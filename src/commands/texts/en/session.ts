import { count } from './count.ts';

export const session = {
  noneHere: (list: string) =>
    `This is not a thread with a session. Name one by its id: ${list} lists them.`,
  elsewhere:
    'This session is of another channel, or of none that I know. You can see those of this channel; managers can see all of this workspace.',
  count: (number: number) => count(number, 'session', 'sessions'),
  inThisChannel: 'in this channel',
  messages: (number: number) => count(number, 'message', 'messages'),
  exported: (number: number) =>
    number === 1 ? 'Here is the message as a file.' : `Here are ${number} messages as a file.`,
  notOurs: 'No thread that I know continues this session.',
  stopped: 'Stopped.',
  retried: 'I’ve answered the last question again, in its thread.',
  resumed: 'I answer in that thread again.',
  withPeople: (askedBy: string) => `with people, asked for by ${askedBy}`,
  deleteAsk: (session: string, messages: number) =>
    `Delete the session ${session} with its ${count(messages, 'message', 'messages')} for good? What stands in the thread stays; the next message there begins a new session.`,
  askAnew:
    'Every thread is a session of its own: mention me with a question, or give one here, and I’ll answer in a new thread.',
  started: 'This thread begins anew: I’ve forgotten what was said here before.',
  title: (session: string) => `Session ${session}`,
};
