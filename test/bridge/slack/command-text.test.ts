import { describe, expect, test } from 'vitest';
import { parseCommandText } from '../../../src/bridge/slack/mention-commands.ts';
import { english } from '../../../src/bridge/texts/texts.ts';
import { renderProblem } from '../../../src/shared/problems/problem.ts';
import {
  renderUsage,
  renderUsageHint,
} from '../../../src/bridge/commands/adapters/command-text.ts';
import { ask } from '../../../src/bridge/commands/ask.ts';
import { chatbot } from '../../../src/bridge/commands/chatbot/chatbot.ts';
import { session } from '../../../src/bridge/commands/session/session.ts';
import { action, source } from './example-commands.ts';

const parse = (text: string) => {
  const parsed = parseCommandText(source, text);
  if (parsed.kind === 'usage') return parsed;
  const { name, values, complete } = parsed;
  return { name, values, complete };
};

describe('a slash command with subcommands', () => {
  test('takes required options in their place, and others by name', () => {
    const url = 'https://x.example/?a=1&b=2';
    const complete = { name: 'url', complete: true };
    expect(parse(`url ${url}`)).toEqual({ ...complete, values: { url } });
    for (const typed of [
      `url ${url} --title "My page"`,
      `Url ${url} --title "My page"`,
      `url --title "My page" ${url}`,
      `url --title="My page" ${url}`,
      `url ${url} —title “My page”`,
      `url --title 'My page' --url ${url}`,
      `  url   ${url}   --title  "My page"  `,
      `url <https://x.example/?a=1&amp;b=2> --title "My page"`,
    ]) {
      expect(parse(typed)).toEqual({ ...complete, values: { url, title: 'My page' } });
    }
  });

  test('gives the last required option all the rest', () => {
    expect(parse('qa “What is it?” A bridge, "they" say.')).toEqual({
      name: 'qa',
      complete: true,
      values: { question: 'What is it?', answer: 'A bridge, "they" say.' },
    });
    expect(parse('qa what an answer --title T of  several')).toMatchObject({
      values: { question: 'what', answer: 'an answer of several', title: 'T' },
    });
  });

  test('is incomplete while a required option is missing, and if it takes a file', () => {
    expect(parse('url')).toEqual({ name: 'url', values: {}, complete: false });
    expect(parse('url --title T')).toEqual({
      name: 'url',
      values: { title: 'T' },
      complete: false,
    });
    expect(parse('qa what')).toMatchObject({ values: { question: 'what' }, complete: false });
    expect(parse('upload')).toMatchObject({ name: 'upload', complete: false });
  });

  test.each(['', '  ', 'help'])('shows how it is used after "%s"', (text) => {
    expect(parse(text)).toEqual({ kind: 'usage' });
  });

  test.each([
    ['delete all', 'There is no “delete” here.'],
    ['toString', 'There is no “toString” here.'],
    ['url https://x.example --titel T', 'There is no option --titel here.'],
    ['url https://x.example --title', '--title needs a value.'],
    ['url --title --url x', '--title needs a value.'],
    ['list everything please', 'I don’t know what to do with “everything please”.'],
  ])('says what is wrong with "%s"', (text, problem) => {
    const parsed = parseCommandText(source, text);
    expect(parsed.kind === 'usage' && parsed.problem && renderProblem(parsed.problem)).toBe(
      problem,
    );
  });
});

test.each(['\u00A0', '\u202F'])('a number keeps the space %j between its thousands', (space) => {
  const workspace = `1${space}000${space}000`;
  expect(parseCommandText(chatbot, `limits workspace:${workspace} channel:5`)).toMatchObject({
    values: { workspace, channel: '5' },
  });
  expect(parseCommandText(chatbot, 'limits workspace:1 5')).toMatchObject({
    values: { workspace: '1', person: '5' },
  });
});

describe('a slash command that takes one text', () => {
  test.each([
    'what does "foo bar" mean?',
    "what's a 'thing' with --verbose in it?",
    'what does docker run --rm --memory=1g do?',
    'what does npm publish --private do?',
    'what do “--private yes” and "private:yes" mean?',
    'what does private:true do?',
    'does private:true --forget it?',
    'two\nlines  and   spaces',
  ])('takes %j as it was typed', (question) => {
    expect(parseCommandText(ask, question)).toMatchObject({ values: { question }, complete: true });
    expect(parseCommandText(session, `new ${question}`)).toMatchObject({ values: { question } });
  });

  test.each([
    '--private what is  our policy?',
    'what is  our policy? --private',
    '--private yes what is  our policy?',
    'what is  our policy? private:yes',
  ])('takes a yes-or-no option beside the text: %j', (typed) => {
    expect(parseCommandText(ask, typed)).toMatchObject({
      values: { question: 'what is  our policy?', private: 'yes' },
    });
  });

  test('takes the quotes off a text that is quoted as a whole', () => {
    expect(parseCommandText(ask, '"what is it?"')).toMatchObject({
      values: { question: 'what is it?' },
    });
  });
});

test('its usage is derived from its declaration', () => {
  const says = english.descriptions;
  expect(
    renderUsage({
      name: '/kb-source',
      command: source,
      problem: { code: 'no_value', params: { name: 'url' } },
      texts: english,
    }),
  ).toBe(
    [
      '--url needs a value.',
      '',
      `**/kb-source**: ${says.source}`,
      '',
      `- \`/kb-source upload [--title "…"]\`: ${says['source upload']}`,
      `- \`/kb-source url <url> [--title "…"]\`: ${says['source url']}`,
      `- \`/kb-source qa <question> <answer> [--title "…"]\`: ${says['source qa']}`,
      `- \`/kb-source list\`: ${says['source list']}`,
    ].join('\n'),
  );
  expect(renderUsageHint(source)).toBe(
    'upload [--title "…"] | url <url> [--title "…"] | qa <question> <answer> [--title "…"] | list',
  );
  expect(renderUsageHint(ask)).toBe('<question> [--private "…"]');
  expect(renderUsageHint({ name: 'a', description: 'ask', action: action({}) })).toBe('');
});
