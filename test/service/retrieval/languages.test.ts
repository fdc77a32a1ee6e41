import { beforeAll, describe, expect, test } from 'vitest';
import { answerFromPassages } from '../../../src/service/answer/extractive.ts';
import { createRetriever, type Retriever } from '../../../src/service/retrieval/retrieve.ts';
import { museums } from './museums.ts';
import { createFilledStore } from './sample.ts';

describe.each(Object.entries(museums))('in %s', (_language, { rules, questions, offTopic }) => {
  let retriever: Retriever;
  beforeAll(async () => {
    retriever = createRetriever(await createFilledStore(rules));
  });
  const retrieve = (question: string) =>
    retriever.retrieve(question, { chatbot: 'bot' }, { limit: 3 });

  test.each(questions)('%s', async (question, topic) => {
    expect((await retrieve(question))[0]?.passage.source.uuid).toBe(topic);
  });

  const isAnswered = async (question: string) => {
    const hits = await retrieve(question);
    const { citations } = answerFromPassages(question, hits, { showCitations: true });
    return Object.keys(citations).length > 0;
  };

  test('answers eight of ten questions, and none that is off topic', async () => {
    const answered = (await Promise.all(questions.map(([each]) => isAnswered(each)))).filter(
      Boolean,
    );
    expect(answered.length).toBeGreaterThanOrEqual(questions.length * 0.8);
    for (const question of offTopic)
      expect([question, await isAnswered(question)]).toEqual([question, false]);
  });
});
