import { type Command, defineAction } from './command.ts';

/** `/ask`: a question for everyone in the channel to see, answered in a thread. */
export const ask: Command = {
  name: 'ask',
  description: 'Ask the chatbot; it answers in a thread',
  action: defineAction({
    description: 'Ask the chatbot; it answers in a thread',
    shownTo: 'private',
    options: {
      question: {
        type: 'text',
        description: 'What you want to know',
        required: true,
        maxLength: 2000,
        multiline: true,
      },
    },
    async *run(context, { question }) {
      await context.ask(question);
      yield 'I’m answering in the thread below your question.';
    },
  }),
};
