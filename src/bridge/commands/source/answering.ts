import { shorten } from '../../../shared/primitives/text.ts';
import type { Gap } from '../../conversation/gaps.ts';
import { bold, quote, renderPlainText } from '../../conversation/markdown/plain-text.ts';
import { type ActionContext, defineAction, type Outcome, toViewer } from '../command.ts';
import { sameWords } from '../gaps.ts';
import { addSources, answerOption, maxQuestionLength } from './adding.ts';

/** So many other questions with the same words are answered at once. */
const maxOthers = 20;

/** `/source answer`: teaches the answer to an open question, and has the question answered anew. */
export const answer = defineAction({
  description: 'source answering',
  shownTo: 'private',
  managersOnly: true,
  options: {
    gap: { type: 'reference', to: 'gap', description: 'source answering gap', required: true },
    question: {
      type: 'text',
      description: 'source answering question',
      maxLength: maxQuestionLength,
    },
    answer: answerOption,
  },
  initialValues: ({ gap }) => gap && { question: shorten(gap.query, maxQuestionLength) },
  async *run(context, { gap, question = shorten(gap.query, maxQuestionLength), answer: text }) {
    const { access, client, gaps, requester, texts, signal } = context;
    const viewer = toViewer(context);
    if (!(await access.may('teach', viewer, gap))) {
      yield texts.invalid.unknownName('gap', gap.query);
      return;
    }
    const by = await gaps.take(turnOf(gap), requester.name);
    if (by !== undefined) {
      yield `${texts.gaps.taken(renderPlainText(by))}\n\n${quote(text)}`;
      return;
    }
    const answered = [gap];
    try {
      const chatbot = await chatbotOf(gap, context);
      answered.push(...(await takeOthers(gap, chatbot, context)));
      const source = {
        name: bold(question),
        add: () => client.addQaSource(chatbot, { question, answer: text }, signal),
      };
      const teaches = answered.map(({ uuid: turn, address }) => ({ turn, address }));
      let newest: Outcome | undefined;
      for await (const shown of addSources(context, [source], { chatbot, teaches })) {
        if (newest) yield { ...newest, isInterim: true };
        newest = typeof shown === 'string' ? { markdown: shown } : shown;
      }
      if (newest) yield newest;
    } catch (error) {
      for (const each of answered) await gaps.release(turnOf(each));
      throw error;
    }
  },
});

const turnOf = ({ uuid, address }: Gap) => ({ id: uuid, address });

/** The chatbot that answers a question again: that of its thread, as long as it may. */
async function chatbotOf({ address, tags }: Gap, { bindings, threads }: ActionContext) {
  const known = await threads.chatbotIn(address);
  if (known !== undefined && (await bindings.mayAnswer(address, known))) return known;
  return bindings.chatbotFor(address, tags);
}

/** Takes the open questions to a chatbot with the same words, wherever the manager may read them. */
async function takeOthers(
  { uuid, query }: Gap,
  chatbot: string,
  context: ActionContext,
): Promise<Gap[]> {
  const { access, gaps, requester } = context;
  const viewer = toViewer(context);
  const others = (await gaps.list(context)).filter(
    (each) => each.uuid !== uuid && sameWords(each.query) === sameWords(query),
  );
  const taken: Gap[] = [];
  for (const other of others.slice(-maxOthers)) {
    const isTheirs = await access.may('teach', viewer, other);
    const isSame = isTheirs && (await chatbotOf(other, context)) === chatbot;
    if (isSame && (await gaps.take(turnOf(other), requester.name)) === undefined) taken.push(other);
  }
  return taken;
}
