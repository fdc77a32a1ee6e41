import { describe, expect, test } from 'vitest';
import { createRetriever, fuse } from '../../../src/service/retrieval/retrieve.ts';
import {
  leansOnPrevious,
  tokenizeQuery,
  toPreviousQuery,
  toQueryTokens,
} from '../../../src/service/retrieval/search-query.ts';
import { createFilledStore, guideText, historyText } from './sample.ts';

const retriever = createRetriever(
  await createFilledStore({ guide: guideText, history: historyText }),
);
const scope = { chatbot: 'bot' };
const headings = async (query: string, previousQuery?: string) => {
  const hits = await retriever.retrieve(query, scope, { previousQuery, limit: 3 });
  return hits.map(({ passage }) => passage.headings.at(-1));
};

test.each([
  ['How do I add a source?', 'Adding a source'],
  ['adding SOURCES', 'Adding a source'],
  ['Which port does it listen on?', 'Configuration'],
  ['Who conquered England?', 'Conquests'],
  ['Who led the Normans?', 'The Normans'],
  ['Kann man eine Source hinzufügen?', 'Adding a source'],
])('“%s” finds %s', async (query, heading) => {
  expect((await headings(query))[0]).toBe(heading);
});

test('gives nothing where no word is known, and for a query of no words', async () => {
  expect(await headings('What about photosynthesis?')).toEqual([]);
  expect(await headings('and is it?')).toEqual([]);
  expect(await headings('')).toEqual([]);
});

test('understands a follow-up question by the one before', async () => {
  expect(await headings('When did he die?')).toEqual(['Conquests']);
  expect((await headings('And where is it?', 'What is the database of Causeway?'))[0]).toBe(
    'Configuration',
  );
  expect((await headings('And what is its name?', 'Who captured Sicily?'))[0]).toBe('Conquests');
  expect((await headings('Why?', 'Who captured Sicily?'))[0]).toBe('Conquests');
  expect((await headings('Who captured Sicily?', 'How do I add a source?'))[0]).toBe('Conquests');
});

test.each([
  ['Is there a car park?', 'How do I add a source?'],
  ['How do I reach IT by phone?', 'How do I add a source?'],
  ['Bieten Sie Parkplätze an?', 'Wie füge ich eine Quelle hinzu?'],
  ['Gibt es einen bewachten Parkplatz?', 'Wie füge ich eine Quelle hinzu?'],
])('what only looks like a pronoun refers to nothing: %s', (query, previousQuery) => {
  expect(toQueryTokens(query, previousQuery)).toMatchObject({ before: [], refers: false });
});

test.each([
  ['Sie öffnet wann am Sonntag?', 'Wann öffnet die Mühle?'],
  ['Wann öffnet sie am Sonntag?', 'Wann öffnet die Mühle?'],
  ['How do I get there by train?', 'Where is the mill?'],
  ['Is it open on Sundays in winter?', 'Where is the mill?'],
])('a pronoun refers to the question before: %s', (query, previousQuery) => {
  expect(toQueryTokens(query, previousQuery).refers).toBe(true);
});

describe('another spelling is found', async () => {
  const shop = createRetriever(
    await createFilledStore({
      fee: 'Für jede Mahnung berechnen wir eine Gebühr von 5 Euro.',
      office: 'Das Büro in Köln öffnet um 9 Uhr.',
      mail: 'Schreiben Sie eine E-Mail an hilfe@example.org.',
      network: 'The wifi key is printed on the router.',
      login: 'The log-in of guests ends at noon.',
      grant: 'Das Stipendium beträgt 10.000 Euro im Jahr.',
      budget: 'The grant is 1,500 dollars.',
      arrival: 'You can check in from 3 pm.',
      groups: 'We have online check-in for groups.',
      price: 'Shirts cost 20 euros.',
      helpers: 'Every helper wears a T-shirt.',
      firewall: 'Open the ports 80,443 in the firewall.',
    }),
  );
  test.each([
    ['Wie hoch ist die Gebuehr?', 'fee'],
    ['Wann oeffnet das Buero in Koeln?', 'office'],
    ['Wie lautet die Email?', 'mail'],
    ['Gibt es eine Mail?', 'mail'],
    ['Gibt es eine E-Mail?', 'mail'],
    ['Where is the Wi-Fi key?', 'network'],
    ['When does the login end?', 'login'],
    ['Was bekommt man für 10000 Euro?', 'grant'],
    ['Who gets 1500 dollars?', 'budget'],
    ['What does a T-shirt cost?', 'price'],
    ['What is behind port 443?', 'firewall'],
  ])('“%s” finds %s', async (query, source) => {
    const [hit] = await shop.retrieve(query, scope, { limit: 3 });
    expect(hit?.passage.source.uuid).toBe(source);
    expect(hit?.evidence).toBeGreaterThan(1);
  });

  test('and hides none', async () => {
    const hits = await shop.retrieve('When is check-in?', scope, { limit: 3 });
    const found = hits.map(({ passage }) => passage.source.uuid);
    expect(found.toSorted()).toEqual(['arrival', 'groups']);
  });
});

test.each([
  [
    ['How many days of vacation?', 'And for interns?'],
    'How many days of vacation?\nAnd for interns?',
  ],
  [['What is a family room?', 'How much is it?'], 'What is a family room?\nHow much is it?'],
  [['What is a family room?', 'Is there parking?'], 'Is there parking?'],
  [['What is a family room?'], 'What is a family room?'],
  [[], undefined],
])('what a follow-up of %j leans on', (lastTwo, previous) => {
  expect(toPreviousQuery(lastTwo)).toBe(previous);
});

test.each(['And plan A?', 'And the sign-up?'])('%s leans on what was asked before', (query) => {
  expect(leansOnPrevious(query)).toBe(true);
});

test('takes a short question about something else for what it is', async () => {
  const village = createRetriever(
    await createFilledStore({
      mill: '# Mill\n\nThe mill on the hill grinds wheat from Monday to Friday.',
      tower: '# Tower\n\nTickets are sold at the gate by the keeper, who lives beside it.',
    }),
  );
  const ask = async (query: string, previousQuery: string) =>
    (await village.retrieve(query, scope, { previousQuery, limit: 1 }))[0]?.passage.source.uuid;
  expect(await ask('Who is the keeper?', 'What does the mill on the hill grind?')).toBe('tower');
  expect(await ask('And on Sundays?', 'What does the mill on the hill grind?')).toBe('mill');
  expect(await ask('When does it?', 'What does the mill on the hill grind?')).toBe('mill');
});

test('tells how much of the query a passage covers', async () => {
  const coverage = async (query: string) =>
    (await retriever.retrieve(query, scope, { limit: 1 }))[0]?.coverage ?? 0;
  expect(await coverage('Who captured Sicily?')).toBe(1);
  expect(await coverage('Who captured the photosynthesis of Jupiter?')).toBeLessThan(0.3);
});

test('a missing general word tells less of a passage than another, and a missing name more', async () => {
  const evidence = async (word: string) => {
    const [hit] = await retriever.retrieve(`Who captured the ${word} Sicily?`, scope, { limit: 1 });
    return hit?.evidence ?? 0;
  };
  expect(await evidence('famous')).toBeGreaterThan(await evidence('marble'));
  expect(await evidence('marble')).toBeGreaterThan(await evidence('Marble'));
});

test.each([
  ['¿Quién conquistó la WORD Sicilia?', 'grande', 'marmol'],
  ['Кто завоевал WORD Сицилию?', 'новую', 'умную'],
])('general words are known: %s with %s', async (query, general, other) => {
  const island = createRetriever(
    await createFilledStore({
      es: 'Rogelio conquistó Sicilia en el año 1091.',
      ru: 'Рожер завоевал Сицилию в 1091 году.',
    }),
  );
  const evidence = async (word: string) => {
    const [hit] = await island.retrieve(query.replace('WORD', word), scope, { limit: 1 });
    return hit?.evidence ?? 0;
  };
  expect(await evidence(general)).toBeGreaterThan(await evidence(other));
});

test.each([
  ['In what country is Normandy?', 'Where is Normandy?'],
  ['In welchem Jahr wurde die Mühle gebaut?', 'Wann wurde die Mühle gebaut?'],
  ['В каком году построили мост?', 'Когда построили мост?'],
  ['¿En qué ciudad nació Goya?', '¿Dónde nació Goya?'],
])('the kind of an answer is not searched for: %s is %s', (query, other) => {
  expect(tokenizeQuery(query)).toEqual(tokenizeQuery(other));
});

test('a noun is searched for where it says more than the kind of the answer', () => {
  expect(tokenizeQuery('Which country code has Italy?')).toContain('countr');
  expect(tokenizeQuery('Which countries are there?')).toContain('countr');
  expect(tokenizeQuery('And which country?')).toContain('countr');
});

test('keeps to its scope', async () => {
  const found = await retriever.retrieve(
    'source Normandy',
    { chatbot: 'bot', sources: ['history'] },
    { limit: 9 },
  );
  expect(found.map(({ passage }) => passage.source.uuid)).toEqual(['history', 'history']);
  expect(await retriever.retrieve('source', { chatbot: 'other' }, { limit: 9 })).toEqual([]);
});

test('what ranks high in both lists comes first when they are fused', () => {
  const fused = fuse([1, 2, 3], [4, 2]);
  expect([...fused.keys()]).toEqual([2, 1, 4, 3]);
  expect(fused.get(2)).toBeCloseTo(2 / 62);
  expect(fused.get(3)).toBeCloseTo(1 / 63);
});

test('a wider search also finds what shares words with the best, below the best', async () => {
  const garden = createRetriever(
    await createFilledStore({
      tulips: '# Tulips\n\nTulips are planted in October. Bulbs need cold, sand and compost.',
      bulbs: '# Cellar\n\nBulbs keep well in sand. Compost makes them rot.',
      roof: '# Roof\n\nThe roof was mended by a carpenter from the village.',
    }),
  );
  const find = async (feedback: boolean) => {
    const hits = await garden.retrieve('When are tulips planted?', scope, { limit: 9, feedback });
    return hits.map(({ passage }) => passage.source.uuid);
  };
  expect(await find(false)).toEqual(['tulips']);
  expect(await find(true)).toEqual(['tulips', 'bulbs']);
});
