import { type Command, defineAction } from './command.ts';

/** `/ask`: a question for everyone in the channel to see, answered in a thread. */
export const ask: Command = {
  name: 'ask',
  description: 'ask',
  action: defineAction({
    description: 'ask',
    shownTo: 'private',
    options: {
      question: {
        type: 'text',
        description: 'ask question',
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
