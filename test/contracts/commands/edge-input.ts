import { expect } from 'vitest';
import { sourceMeta } from '../../../src/shared/api/data-source.ts';
import { type NounScenarios, type Scenario, textFile } from './scenario.ts';

/** Names as people give them: each is kept as it is, is found by itself, and notifies nobody. */
const names: Record<string, string> = {
  'emoji with joiners and skin tones': '👩🏽‍🚀 Crew 🇩🇪 ❤️‍🔥',
  'a text from right to left': 'מדריך 2026 דליל',
  'a text that mixes both directions': 'Guide \u200Fدليل\u200E 7',
  backticks: 'The `code` and ```fence``` of it',
  Markdown: '**bold** _it_ ~~gone~~ [a](https://example.com) | # > - 1.',
  'Discord’s mention of everyone': '@everyone come and @here too',
  'Slack’s mention of a channel': '<!channel> and <!here> now',
  HTML: '<b>5 < 6 && 7</b>',
  'accents, apart and together': 'Caf\u00E9 and Cafe\u0301',
};

/** What is read of a text: escapes and breaks within words are not. */
const readable = (text: string) => text.replaceAll(/[\\\u200B\s]/g, '');

const tagNamed = ([what, name]: [string, string]): Scenario => ({
  does: `takes a name with ${what}, and shows it as text`,
  command: 'tag create',
  values: { name, color: 'red' },
  shows: /Created: /,
  async check({ client, chatbot, manager, member }, made) {
    expect(readable(made.text)).toContain(readable(name));
    expect(made.pings).toEqual([]);
    const tags = await client.listSourceTags(chatbot);
    expect(tags.filter((each) => each.name === name)).toHaveLength(1);
    const shared = await manager.press(made, 'Share in channel', /Shared by/);
    expect(shared.pings).toEqual([]);
    const shown = await member.use({ command: 'tag show', values: { tag: name } }, /#dc2626/);
    expect(readable(shown.text)).toContain(readable(name));
  },
});

/** Each is kept as it is. */
const fileNames = [
  'Übersicht – Größe (2).md',
  'Report 50% #1 & more.txt',
  '日本語 メモ.md',
  '🚢 log.txt',
  'no extension',
];

/** Each is a path, a device or a stream to Windows, and no more than a name here. */
const windowsNames = [
  String.raw`C:\Users\ada\Tides.txt`,
  String.raw`..\..\Moons.txt`,
  'CON.txt',
  'Winds.txt:hidden.txt',
  'Stars .txt. ',
];

const longText = 'Every ship is named twice. '.repeat(112).slice(0, 3000).trimEnd();

export const edgeScenarios: NounScenarios = {
  works: [
    ...Object.entries(names).map(tagNamed),
    {
      does: 'notifies nobody by a name that mentions someone',
      command: 'tag create',
      values: { name: 'Ask @grace or <@123456789012345678>', color: 'red' },
      shows: /Created: /,
      async check({ client, chatbot, member }, { pings }) {
        expect(pings).toEqual([]);
        const made = (await client.listSourceTags(chatbot)).find(({ name }) =>
          name.startsWith('Ask '),
        );
        const use = { command: 'tag show', values: { tag: made?.uuid ?? '' } };
        expect((await member.use(use, /Ask /)).pings).toEqual([]);
      },
    },
    {
      does: 'takes an answer of 3000 characters as it is',
      command: 'source qa',
      values: { question: 'How are ships named?', answer: longText },
      shows: /How are ships named\?.+is ready/,
      async check({ source }) {
        const kept = await source('How are ships named?');
        expect(kept && sourceMeta(kept).answer).toBe(longText);
      },
    },
    {
      does: 'fetches an address with a fragment and a query',
      command: 'source url',
      given: async ({ website }) => ({ page: `${website.url}/page?a=1&b=%20#part-2` }),
      values: { url: ({ page = '' }) => page },
      shows: /is ready/,
      async check({ client, chatbot }) {
        const sources = await client.listDataSources(chatbot);
        expect(sources.some(({ file_name: file }) => file.includes('/page?a=1&b=%20'))).toBe(true);
      },
    },
    {
      does: 'takes in files whatever they are called',
      command: 'source upload',
      files: fileNames.map((name) => textFile(name, `This is what ${name} says.\n`)),
      shows: /5 of 5 ready/,
      async check({ client, chatbot }, { pings }) {
        expect(pings).toEqual([]);
        const kept = (await client.listDataSources(chatbot)).map(({ file_name: file }) => file);
        expect(kept).toEqual(expect.arrayContaining(fileNames));
      },
    },
    {
      does: 'takes the names that Windows gives files as names alone',
      command: 'source upload',
      files: windowsNames.map((name) => textFile(name, `Kept from ${name}.\n`)),
      shows: /5 of 5 ready/,
      async check({ client, chatbot }) {
        const sources = await client.listDataSources(chatbot);
        const kept = sources.map(({ file_name: file }) => file);
        for (const word of ['Tides', 'Moons', 'CON', 'Winds', 'Stars']) {
          expect(kept.find((file) => file.includes(word))).toMatch(/^[^\\/\p{Cc}]+$/u);
        }
      },
    },
  ],
  refuses: [],
};
