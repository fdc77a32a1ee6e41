import { type Command, defineAction } from './command.ts';
import { english } from '../messages/messages.ts';

const says = english.descriptions;

/** `/ask`: a question for everyone in the channel to see, answered in a thread. */
export const ask: Command = {
  name: 'ask',
  description: says['ask'],
  action: defineAction({
    description: says['ask'],
    shownTo: 'private',
    options: {
      question: {
        type: 'text',
        description: says['ask question'],
        required: true,
        maxLength: 2000,
        multiline: true,
      },
    },
    async *run(context, { question }) {
      await context.ask(question);
      yield context.texts.asked;
    },
  }),
};
