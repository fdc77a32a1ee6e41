import { describe, expect, test } from 'vitest';
import { answerFromPassages } from '../../../src/service/answer/extractive.ts';
import { createRetriever } from '../../../src/service/retrieval/retrieve.ts';
import { museums } from './museums.ts';
import { createFilledStore } from './sample.ts';

describe.each(Object.entries(museums))('in %s', (_language, { rules, questions, offTopic }) => {
  const retriever = createRetriever(createFilledStore(rules));
  const retrieve = (question: string) =>
    retriever.retrieve(question, { chatbot: 'bot' }, { limit: 3 });

  test.each(questions)('%s', (question, topic) => {
    expect(retrieve(question)[0]?.passage.source.uuid).toBe(topic);
  });

  const isAnswered = (question: string) => {
    const { citations } = answerFromPassages(question, retrieve(question), { showCitations: true });
    return Object.keys(citations).length > 0;
  };

  test('answers eight of ten questions, and none that is off topic', () => {
    const answered = questions.filter(([question]) => isAnswered(question));
    expect(answered.length).toBeGreaterThanOrEqual(questions.length * 0.8);
    expect(offTopic.filter(isAnswered)).toEqual([]);
  });
});
