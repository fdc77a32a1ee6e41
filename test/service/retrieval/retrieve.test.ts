import { expect, test } from 'vitest';
import { createRetriever, fuse } from '../../../src/service/retrieval/retrieve.ts';
import { createFilledStore, guideText, historyText } from './sample.ts';

const retriever = createRetriever(createFilledStore({ guide: guideText, history: historyText }));
const scope = { chatbot: 'bot' };
const headings = (query: string, previousQuery?: string) =>
  retriever
    .retrieve(query, scope, { previousQuery, limit: 3 })
    .map(({ passage }) => passage.headings.at(-1));

test.each([
  ['How do I add a source?', 'Adding a source'],
  ['adding SOURCES', 'Adding a source'],
  ['Which port does it listen on?', 'Configuration'],
  ['Who conquered England?', 'Conquests'],
  ['Who led the Normans?', 'The Normans'],
  ['Kann man eine Source hinzufügen?', 'Adding a source'],
])('%s → %s', (query, heading) => {
  expect(headings(query)[0]).toBe(heading);
});

test('gives nothing where no word is known, and for a query of no words', () => {
  expect(headings('What about photosynthesis?')).toEqual([]);
  expect(headings('and is it?')).toEqual([]);
  expect(headings('')).toEqual([]);
});

test('understands a follow-up question by the one before', () => {
  expect(headings('When did he die?')).toEqual(['Conquests']);
  expect(headings('And where is it?', 'What is the database of Causeway?')[0]).toBe(
    'Configuration',
  );
  expect(headings('And what is its name?', 'Who captured Sicily?')[0]).toBe('Conquests');
  expect(headings('Why?', 'Who captured Sicily?')[0]).toBe('Conquests');
  expect(headings('Who captured Sicily?', 'How do I add a source?')[0]).toBe('Conquests');
});

test('takes a short question about something else for what it is', () => {
  const village = createRetriever(
    createFilledStore({
      mill: '# Mill\n\nThe mill on the hill grinds wheat from Monday to Friday.',
      tower: '# Tower\n\nTickets are sold at the gate by the keeper, who lives beside it.',
    }),
  );
  const ask = (query: string, previousQuery: string) =>
    village.retrieve(query, scope, { previousQuery, limit: 1 })[0]?.passage.source.uuid;
  expect(ask('Who is the keeper?', 'What does the mill on the hill grind?')).toBe('tower');
  expect(ask('And on Sundays?', 'What does the mill on the hill grind?')).toBe('mill');
  expect(ask('When does it?', 'What does the mill on the hill grind?')).toBe('mill');
});

test('tells how much of the query a passage covers', () => {
  const coverage = (query: string) =>
    retriever.retrieve(query, scope, { limit: 1 })[0]?.coverage ?? 0;
  expect(coverage('Who captured Sicily?')).toBe(1);
  expect(coverage('Who captured the photosynthesis of Jupiter?')).toBeLessThan(0.3);
});

test('keeps to its scope', () => {
  const found = retriever.retrieve(
    'source Normandy',
    { chatbot: 'bot', sources: ['history'] },
    { limit: 9 },
  );
  expect(found.map(({ passage }) => passage.source.uuid)).toEqual(['history', 'history']);
  expect(retriever.retrieve('source', { chatbot: 'other' }, { limit: 9 })).toEqual([]);
});

test('what ranks high in both lists comes first when they are fused', () => {
  const fused = fuse([1, 2, 3], [4, 2]);
  expect([...fused.keys()]).toEqual([2, 1, 4, 3]);
  expect(fused.get(2)).toBeCloseTo(2 / 62);
  expect(fused.get(3)).toBeCloseTo(1 / 63);
});

test('two empty lists are fused to none', () => {
  expect(fuse([], []).size).toBe(0);
});
