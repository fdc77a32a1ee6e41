import { quote, renderPlainText } from '../conversation/markdown/plain-text.ts';
import {
  type ActionContext,
  type Command,
  defineAction,
  type Outcome,
  threadOf,
} from './command.ts';
import { shareButton } from './outcomes.ts';

const maxQuestionLength = 2_000;

/**
 * `/ask`: asks a question publicly in the channel; the answer appears in a thread if it can have one.
 * With `private`, only whoever asks sees both, until they share them.
 */
export const ask: Command = {
  name: 'ask',
  description: 'ask',
  action: defineAction({
    description: 'ask',
    shortcut: { name: 'ask shortcut', takes: 'question', values: { private: 'yes' } },
    shownTo: 'private',
    changes: true,
    options: {
      question: {
        type: 'text',
        description: 'ask question',
        required: true,
        maxLength: maxQuestionLength,
        multiline: true,
      },
      private: { type: 'boolean', description: 'ask private' },
    },
    async *run(context, { question, private: isPrivate = false }) {
      if (isPrivate) yield* answerAlone(question, context);
      else yield context.texts.asked[await context.ask(question)];
    },
  }),
};

async function* answerAlone(query: string, context: ActionContext): AsyncGenerator<Outcome> {
  const { threads, requester, locale, signal } = context;
  const asked = { query, author: { ...requester, locale }, place: threadOf(context) };
  for await (const answer of threads.answerAlone(asked, signal)) {
    const { markdown, isWhole, isAnswered } = answer;
    if (!isWhole) yield { markdown, isInterim: true };
    else if (!isAnswered) yield { markdown };
    else {
      const shared = `${quote(renderPlainText(query))}\n\n${markdown}`;
      yield { markdown, buttons: [shareButton(context, shared)] };
    }
  }
}
