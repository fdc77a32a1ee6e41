import { expect, test } from 'vitest';
import { answerFromPassages } from '../../../src/service/answer/extractive.ts';
import { createRetriever } from '../../../src/service/retrieval/retrieve.ts';
import { createFilledStore } from '../retrieval/sample.ts';

const faqText = `# The museum

## Who are you?

We are a small museum of clocks. The oldest clock is from 1611. Visits are free.

## What is open?

Every room but the tower.

## When does the museum open?

It opens at ten. On Mondays it is closed. Groups should call a day before.

## Tickets

The museum has no tickets. When it opens late, the museum asks for a gift.
`;

const otherText = `# The harbour

## What can you do?

Rent a boat, swim, or watch the ships.
`;

const retriever = createRetriever(createFilledStore({ faq: faqText, other: otherText }));

function answer(query: string, previousQuery?: string) {
  const hits = retriever.retrieve(query, { chatbot: 'bot' }, { limit: 6, previousQuery });
  return answerFromPassages(query, hits, { showCitations: false }).text;
}

const isWho = 'We are a small museum of clocks. The oldest clock is from 1611. Visits are free.';
const whatToDo = 'Rent a boat, swim, or watch the ships.';

test.each([
  ['Who are you?', isWho],
  ['hi, who are you', isWho],
  ['Who’re you?', isWho],
  ['What can you do for me here?', whatToDo],
  [
    'When does the museum open?',
    'It opens at ten. On Mondays it is closed. Groups should call a day before.',
  ],
])(
  '%s is answered with all that stands below that question, and with nothing else',
  (query, text) => {
    expect(answer(query)).toBe(text);
  },
);

test('a question of stop words that no heading asks is answered by nothing', () => {
  expect(answer('Who am I to you?')).toMatch(/^I found no answer/);
  expect(answer('What about this?')).toMatch(/^I found no answer/);
});

test('such a question is not mistaken for a follow-up of the one before', () => {
  expect(answer('Who are you?', 'When does the museum open?')).toBe(isWho);
});

test('a follow-up is still asked of the subject before', () => {
  expect(answer('And when is that?', 'When does the museum open?')).toContain('It opens at ten.');
});
