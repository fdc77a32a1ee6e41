import { type Command, defineAction } from './command.ts';

/** `/ask`: asks a question publicly in the channel; the answer appears in a thread if it can have one. */
export const ask: Command = {
  name: 'ask',
  description: 'ask',
  action: defineAction({
    description: 'ask',
    shownTo: 'private',
    changes: true,
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
      const where = await context.ask(question);
      yield context.texts.asked[where];
    },
  }),
};
