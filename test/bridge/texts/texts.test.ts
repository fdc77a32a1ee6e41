import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { english, recognizeLanguage, textsFor } from '../../../src/bridge/texts/texts.ts';
import { recognizeProblem, renderProblem } from '../../../src/shared/problems/problem.ts';
import { createTemporaryFolder } from '../../fixtures/temporary-folder.ts';

const folder = new URL('../../../src/bridge/texts/languages/', import.meta.url);

const languages = readdirSync(folder).map((file) => file.replace(/\.ts$/, ''));

/** The keys of a catalogue, as `thread.buttons.stop`, with what each of them takes. */
function listKeys(messages: object, at = ''): string[] {
  return Object.entries(messages).flatMap(([key, message]: [string, unknown]) =>
    typeof message === 'object' && message !== null
      ? listKeys(message, `${at}${key}.`)
      : [`${at}${key}: ${typeof message}`],
  );
}

/** What forms call options and choices, which are called as they are where a language has no word. */
const optional = /^(?:labels|choices)\./;

const required = (messages: object) => listKeys(messages).filter((key) => !optional.test(key));

test('every file of the folder is a language, found without being named anywhere', () => {
  expect(languages).toContain('de');
  for (const language of languages) {
    const isEnglish = textsFor(`${language}-XX`) === english;
    expect([language, isEnglish]).toEqual([language, language === 'en']);
  }
  expect(textsFor('xx')).toBe(english);
  expect(textsFor(undefined)).toBe(english);
});

test('a language is added by its file alone', () => {
  const root = createTemporaryFolder();
  const copy = join(root, 'bridge/texts');
  for (const folder of ['bridge/texts', 'shared/problems']) {
    cpSync(new URL(`../../../src/${folder}/`, import.meta.url), join(root, folder), {
      recursive: true,
    });
  }
  const french = readFileSync(join(copy, 'languages/de.ts'), 'utf8').replace(
    textsFor('de').share,
    'Partager',
  );
  writeFileSync(join(copy, 'languages/fr.ts'), french);

  const loader = pathToFileURL(join(copy, 'texts.ts')).href;
  const script = `
    import { textsFor } from '${loader}';
    console.log(textsFor('fr-CA').share, textsFor('en').share);`;
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
  });
  expect(said.trim()).toBe(`Partager ${english.share}`);
});

test.each(languages)('%s says all that English says, and nothing else', (language) => {
  expect(required(textsFor(language)).toSorted()).toEqual(required(english).toSorted());
});

test('a problem is said in each language, with what it is about', () => {
  const problem = { code: 'file_over_limit', params: { max: 25 * 1024 * 1024 } } as const;
  expect(renderProblem(problem)).toBe('This file is larger than 25 MB, the limit.');
  expect(renderProblem(problem, textsFor('de-AT'))).toContain('größer als 25 MB');
});

test('a service’s code counts where its sentence is ours, and never otherwise', () => {
  const params = { seconds: 3 };
  const ours = { error: 'Too many requests with this key: wait 3 s', code: 'api_key_busy', params };
  expect(recognizeProblem(ours)).toEqual({ code: 'api_key_busy', params });
  expect(recognizeProblem({ ...ours, error: 'Slow down' })).toBeUndefined();
  expect(recognizeProblem({ error: 'x', code: 'toString' })).toBeUndefined();
  expect(recognizeProblem({ error: 'x', code: 'fields_invalid' })).toBeUndefined();
  expect(recognizeProblem({ error: 'x' })).toBeUndefined();
});

test.each([
  ['Was kostet ein Espresso?', 'de'],
  ['What does it cost?', 'en'],
  ['I don’t know', 'en'],
  ['Was?', undefined],
  ['Espresso 3 €', undefined],
  ['', undefined],
])('the language of “%s” is %s', (text, language) => {
  expect(recognizeLanguage(text)).toBe(language);
});
