import { describe, expect, test } from 'vitest';
import { withWholeFences } from '../../../src/service/answer/excerpt.ts';
import { answerFromPassages, merge } from '../../../src/service/answer/extractive.ts';
import { createRetriever } from '../../../src/service/retrieval/retrieve.ts';
import type { Store } from '../../../src/service/store/store.ts';
import { createFilledStore, guideText, historyText } from '../retrieval/sample.ts';

const retriever = createRetriever(
  await createFilledStore({ guide: guideText, history: historyText }),
);

async function answer(query: string, showCitations = true) {
  const hits = await retriever.retrieve(query, { chatbot: 'bot' }, { limit: 6 });
  return answerFromPassages(query, hits, { showCitations });
}

describe('an answer', () => {
  test('gives steps whole, with the sentence that leads to them', async () => {
    expect((await answer('How do I add a source?')).text).toBe(
      [
        'You teach the chatbot by a command:',
        '',
        '1. Type `/source upload` and pick a file.',
        '2. For a web page, type `/source url` and its address.',
        '3. Wait until the message says that it is ready. [1.1]',
      ].join('\n'),
    );
  });

  test('gives the row of a table that is asked for', async () => {
    expect((await answer('Which port does it listen on?')).text).toBe(
      '- `PORT` – Default: 3000; Meaning: the port it listens on [1.1]',
    );
  });

  test('keeps code as code, its marker below it', async () => {
    expect((await answer('How do I start?')).text).toMatch(
      /^```sh\nnpm ci\nnpm start\n```\n\nOpen the page it prints\. \[1\.1\]$/u,
    );
  });

  test('gives a sentence with what its “he” refers to', async () => {
    expect((await answer('When did he swear fealty to Charles?')).text).toBe(
      'Their leader was Rollo. He swore fealty to King Charles III of West Francia in 911. [1.1]',
    );
  });

  test('names what each marker stands for', async () => {
    expect(await answer('Who captured Sicily?')).toEqual({
      text: 'Robert Guiscard captured Sicily from the Muslims. [1.1]',
      citations: {
        '1.1': {
          data_source_uuid: 'history',
          title: 'The Normans',
          file_name: 'history.md',
          type: 'file',
          text: expect.stringContaining('Robert Guiscard captured Sicily'),
        },
      },
    });
  });

  test('numbers the passages of one source after its source', async () => {
    const { text, citations } = await answer(
      'Who descended from Norse raiders and who conquered England?',
    );
    expect(Object.keys(citations).toSorted()).toEqual(['1.1', '1.2']);
    for (const marker of Object.keys(citations)) expect(text).toContain(`[${marker}]`);
  });

  test('shows no citations where they are not wanted', async () => {
    expect(await answer('Who captured Sicily?', false)).toEqual({
      text: 'Robert Guiscard captured Sicily from the Muslims.',
      citations: {},
    });
  });

  test('fits a chat message', async () => {
    const long = `# Cats\n\n${Array.from({ length: 60 }, (_, index) => `Cat number ${index} eats fish and cats.`).join(' ')}`;
    const store = await createFilledStore({ long });
    const hits = await createRetriever(store).retrieve(
      'What do cats eat?',
      { chatbot: 'bot' },
      { limit: 6 },
    );
    expect(
      answerFromPassages('What do cats eat?', hits, { showCitations: true }).text.length,
    ).toBeLessThan(900);
  });
});

describe('a quotation', async () => {
  const manual = `# lock(1)

## Options

### --wait

A number of seconds follows. The lock is then awaited for that long, and the exit status tells a timeout.

### Exit status

These numbers tell what has happened:

- 0: the lock was taken
- 69: a timeout
- 70: the server was away

Remove the file like this:

rm /tmp/lock.file
`;
  const store = await createFilledStore({ manual });
  const ask = async (query: string) => {
    const hits = await createRetriever(store).retrieve(query, { chatbot: 'bot' }, { limit: 6 });
    return answerFromPassages(query, hits, { showCitations: false }).text;
  };

  test('from below an option names it and begins with what it is', async () => {
    expect(await ask('For how long is the lock awaited?')).toBe(
      '`--wait`: A number of seconds follows. The lock is then awaited for that long, and the exit status tells a timeout.',
    );
  });

  test('of an item begins with the line that leads to its list', async () => {
    expect(await ask('Was the server away?')).toBe(
      'These numbers tell what has happened:\n- 70: the server was away',
    );
  });

  test('of a line that leads to another has both', async () => {
    expect(await ask('How can I remove the file?')).toContain(
      'Remove the file like this:\n\nrm /tmp/lock.file',
    );
  });
});

test.each([
  [
    'Where did the keeper of the lighthouse live?',
    'The keeper of the lighthouse lived on the isle. He had a goat.',
  ],
  ['灯塔的看守人住在哪里?', '灯塔的看守人住在海边。他叫李明。'],
  ['Какой инженер строил маяк?', 'Маяк строил инженер. Он жил в Одессе.'],
])('a quotation goes on with what leans on it: %s', async (question, quotation) => {
  const store = await createFilledStore({
    en: '# Isle\n\nThe keeper of the lighthouse lived on the isle. He had a goat. Boats came at noon.',
    zh: '# 岛\n\n灯塔的看守人住在海边。他叫李明。船中午到。',
    ru: '# Остров\n\nМаяк строил инженер. Он жил в Одессе. Лодки приходят в полдень.',
  });
  const hits = await createRetriever(store).retrieve(question, { chatbot: 'bot' }, { limit: 6 });
  expect(answerFromPassages(question, hits, { showCitations: false }).text).toBe(quotation);
});

describe('a refusal', async () => {
  test('says that nothing is known', async () => {
    expect(await answer('What causes photosynthesis?')).toEqual({
      text: 'I found no answer to that in my sources. Try rephrasing your question, or add a source that covers it.',
      citations: {},
    });
  });

  test('names what comes nearest', async () => {
    expect((await answer('How do I delete my account on Mastodon and Threads?')).text).toBe(
      'I found no answer to that in my sources. Try rephrasing your question, or add a source that covers it.',
    );
    expect((await answer('How do I compile the database with Rust?')).text).toBe(
      'I found no answer to that in my sources. The closest matches are in “Causeway” (Configuration): ask about that, or add a source that covers it.',
    );
  });

  test('is not given for a weak match, which says so and where it is from', async () => {
    expect((await answer('Where does the database of Bob and Eve lie?')).text).toMatch(
      /^This may not answer it: the closest match is in “Causeway” \(Configuration\)\.\n\n.*DATA_DIR/su,
    );
    expect((await answer('Welchen Port nutzt die database von Zulip?')).text).toMatch(
      /^Vielleicht beantwortet das die Frage nicht: Am ehesten passt “Causeway” \(Configuration\)\./u,
    );
  });

  test.each([
    'Wie heißt der Papst?',
    'Wo liegt Tokio?',
    'Was kostet die Fahrkarte nach Zürich?',
    'Wer war Johanna von Orléans?',
    'Was kostet Versand?',
    'Was bedeutet HTTP 502?',
    'Kündigungsfrist?',
    'Straßenbahn?',
    'Café geöffnet?',
  ])('speaks German where the question does: %s', async (question) => {
    expect((await answer(question)).text).toMatch(
      /^Dazu habe ich in meinen Quellen keine Antwort gefunden/,
    );
  });

  test.each([
    'Who was the Pope?',
    'Die Hard movie plot?',
    'Was war hell?',
    'pope?',
    'Was Einstein German?',
    'Was payment received?',
    'Was support contacted yesterday?',
    'Hur många semesterdagar har anställda?',
    'Kaç gün izin veriliyor, süre nedir?',
    '¿Qué es un pingüino?',
    'pingüino',
    'Mitä kieliä tämä tukee?',
    '法王は誰ですか',
  ])('speaks English else: %s', async (question) => {
    expect((await answer(question)).text).toMatch(/^I found no answer to that/);
  });
});

test('a sentence that several passages have is quoted once', async () => {
  const sauna = 'The sauna opens at 17:30 on Fridays.';
  const ask = async (documents: Record<string, string>, question: string) => {
    const store = await createFilledStore({ history: historyText, ...documents });
    const hits = await createRetriever(store).retrieve(question, { chatbot: 'bot' }, { limit: 6 });
    return answerFromPassages(question, hits, { showCitations: true }).text;
  };
  const question = 'When does the sauna open on Fridays?';
  const copy = `# House\n\n## Sauna\n\n${sauna}`;
  const extra = `# Board\n\n## Wellness\n\n${sauna} The sauna is closed on Mondays.`;
  expect(await ask({ one: copy, two: copy, three: copy }, question)).toBe(`${sauna} [1.1]`);
  const answered = await ask({ one: copy, two: copy, three: copy, extra }, question);
  expect(answered.split(sauna)).toHaveLength(2);
  expect(answered).toContain('The sauna is closed on Mondays. [2.1]');
});

test('steps that two lists share are quoted in both', async () => {
  const list = (how: string, step: string) =>
    `## ${how} users\n\nTo ${how} users:\n\n1. Open the settings.\n2. Choose People.\n3. ${step}\n4. Save.`;
  const documents = {
    add: list('add', 'Enter their mail.'),
    remove: list('remove', 'Click the bin.'),
  };
  const store = await createFilledStore({ history: historyText, ...documents });
  const question = 'How do I add and remove users?';
  const hits = await createRetriever(store).retrieve(question, { chatbot: 'bot' }, { limit: 6 });
  const { text } = answerFromPassages(question, hits, { showCitations: false });
  expect(text.split('Choose People.')).toHaveLength(3);
});

test.each([
  ['3. What is your return policy?', 'What is your return policy?'],
  ['Do You Have A Return Policy?', 'Do you have any return policy?'],
  ['Which 3 steps does the return policy have?', 'Which steps does the return policy have?'],
])('an answer written for “%s” is quoted whole for “%s”', async (heading, question) => {
  const written = Array.from({ length: 9 }, (_, index) => `Sentence ${index} tells more.`).join(
    ' ',
  );
  const store = await createFilledStore({
    guide: guideText,
    faq: `# FAQ\n\n## ${heading}\n\n${written}`,
  });
  const hits = await createRetriever(store).retrieve(question, { chatbot: 'bot' }, { limit: 6 });
  expect(answerFromPassages(question, hits, { showCitations: false }).text).toBe(written);
});

test('what an attached file says is quoted even where a large collection scores higher', async () => {
  const lease = await createFilledStore({ lease: '# Lease\n\nThe notice period is three months.' });
  const rules =
    '# Rules\n\n## Notice\n\nEvery notice period of the company is listed there. Tools can be borrowed.';
  const all = await createFilledStore({ guide: guideText, history: historyText, rules });
  const question = 'How long is the notice period?';
  const find = (store: Store) =>
    createRetriever(store).retrieve(question, { chatbot: 'bot' }, { limit: 6 });
  const hits = merge(await find(lease), await find(all));
  expect(answerFromPassages(question, hits, { showCitations: false }).text).toMatch(
    /^The notice period is three months\./,
  );
});

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

const faq = createRetriever(await createFilledStore({ faq: faqText, other: otherText }));

async function answerFromFaq(query: string, previousQuery?: string) {
  const hits = await faq.retrieve(query, { chatbot: 'bot' }, { limit: 6, previousQuery });
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
  async (query, text) => {
    expect(await answerFromFaq(query)).toBe(text);
  },
);

describe('what differs by a letter or a number alone', async () => {
  const tariffs = createRetriever(
    await createFilledStore({
      taught: '# What is the price of plan B?\n\nPlan B costs 50 dollars a month.',
      discount: '# What is the discount of plan A?\n\nTen percent.\n\nTwenty for schools.',
      plans: '# Plans\n\n## Plan A\n\nPlan A costs 20 dollars a month.',
      tariffs: ['S', 'M', 'L']
        .map((size, index) => `## Tarif ${size}\n\nDer Tarif ${size} kostet ${index + 7} Euro.`)
        .join('\n\n'),
      versions: ['3.2.1', '3.1.2', '2.3.1', '1.3.2', '1.2.3']
        .map((each) => `## Version ${each}\n\nVersion ${each} fixes a crash.`)
        .join('\n\n'),
    }),
  );
  test.each([
    ['What is the price of plan A?', 'Plan A costs 20 dollars'],
    ['What is the price of plan B?', 'Plan B costs 50 dollars'],
    ['what is the price of plan b?', 'Plan B costs 50 dollars'],
    ['What is the discount of plan a?', 'Ten percent.\n\nTwenty for schools.'],
    ['Was kostet der Tarif S?', 'Der Tarif S kostet 7 Euro.'],
    ['Was kostet der Tarif L?', 'Der Tarif L kostet 9 Euro.'],
    ['What does version 1.2.3 fix?', 'Version 1.2.3 fixes a crash.'],
  ])('is told apart: %s', async (query, text) => {
    const hits = await tariffs.retrieve(query, { chatbot: 'bot' }, { limit: 6 });
    const answer = answerFromPassages(query, hits, { showCitations: false });
    expect(answer.text).toMatch(new RegExp(`^${RegExp.escape(text)}`, 'u'));
  });

  test('is not answered by the other one alone where the letter is typed small', async () => {
    const query = 'what is the price of plan a?';
    const plans = createRetriever(
      await createFilledStore({
        guide: guideText,
        taught: '# What is the price of plan B?\n\nPlan B costs 50 dollars a month.',
        plans: '# Plans\n\n## Plan A\n\nPlan A costs 20 dollars a month.',
      }),
    );
    const hits = await plans.retrieve(query, { chatbot: 'bot' }, { limit: 6 });
    const { text } = answerFromPassages(query, hits, { showCitations: false });
    expect(text).toContain('Plan A costs 20 dollars');
  });
});

test('a question of stop words that no heading asks is answered by nothing', async () => {
  expect(await answerFromFaq('Who am I to you?')).toMatch(/^I found no answer/);
  expect(await answerFromFaq('What about this?')).toMatch(/^I found no answer/);
});

test('such a question is not mistaken for a follow-up of the one before', async () => {
  expect(await answerFromFaq('Who are you?', 'When does the museum open?')).toBe(isWho);
});

test('a follow-up is still asked of the subject before', async () => {
  expect(await answerFromFaq('And when is that?', 'When does the museum open?')).toContain(
    'It opens at ten.',
  );
});

test('code that began before the excerpt is opened', () => {
  expect(withWholeFences('  app.ts\n```\n\nArrows')).toBe('```\n  app.ts\n```\n\nArrows');
});

test('code that goes on after the excerpt is closed', () => {
  expect(withWholeFences('So:\n\n```sh\nnpm start')).toBe('So:\n\n```sh\nnpm start\n```');
  expect(withWholeFences('~~~\na')).toBe('~~~\na\n~~~');
});

test('whole code, and text without any, stay as they are', () => {
  for (const text of ['plain', '```\na\n```', 'So:\n\n```sh\nnpm start\n```\n\nThen.']) {
    expect(withWholeFences(text)).toBe(text);
  }
});
