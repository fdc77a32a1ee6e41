import { count } from './count.ts';

/** What adapters and the core say is English. */
const said = (sentences: string) => sentences;

export const failures = {
  said,
  unauthorized: () =>
    'The chatbot service refuses my key. Whoever runs this bot needs to check CHATBOT_API_KEY.',
  not_found: () =>
    'The chatbot service no longer knows what I asked for. It may have been deleted there.',
  invalid: (message: string) => `The chatbot service did not accept that: ${message}`,
  too_large: (message: string) => `This is too large for the chatbot service: ${message}`,
  unsupported_type: (message: string) =>
    `The chatbot service does not take this kind of file: ${message}`,
  conflict: () => 'The chatbot already has that.',
  rate_limited: (_: string, seconds: number) =>
    seconds > 0
      ? `The chatbot service is getting too many requests. Please try again in ${count(seconds, 'second', 'seconds')}.`
      : 'The chatbot service is getting too many requests. Please try again in a moment.',
  unavailable: () => 'I can’t reach the chatbot service right now. Please try again in a moment.',
  timeout: () => 'The chatbot service took too long to answer. Please try again.',
  interrupted: () => 'The answer broke off before its end. Please ask again.',
  protocol: () =>
    'The chatbot service gave an answer I can’t read. Please try again; if it keeps happening, tell the people who run this bot.',
  aborted: () => 'This was stopped before it was done.',
  other:
    'Something went wrong on my side. Please try again; if it keeps happening, the people who run this bot find the reason in its log.',
};
