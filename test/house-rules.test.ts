import { RuleTester } from 'oxlint/plugins-dev';
import { describe, expect, it } from 'vitest';
import plugin from '../lint/house-rules.ts';
import config from '../oxlint.config.ts';

RuleTester.describe = describe;
RuleTester.it = it;
const tester = new RuleTester({ languageOptions: { parserOptions: { lang: 'ts' } } });

/** For each rule what it accepts, and what it refuses once. */
const cases: Record<keyof typeof plugin.rules, { valid: string[]; invalid: string[] }> = {
  'camel-case-constants': {
    valid: ['const maxTags = 5;', 'const { DATA_DIR } = process.env;', 'class HttpError {}'],
    invalid: ['const MAX_TAGS = 5;', 'const LIMIT = 5;', 'function f() { let SUM_2 = 0; }'],
  },
  'conditional-spread': {
    valid: ['f({ ...(x && { x }) });', 'f([...(x ? [x] : [])]);', 'f({ ...(x ? { y } : { z }) });'],
    invalid: ['f({ ...(x ? { x } : {}) });', 'f({ ...(x === undefined ? {} : { x }) });'],
  },
  'linear-patterns': {
    valid: [
      '/^[ \\t]*#/m.test(text);',
      '/(?<![ \\t])[ \\t]+$/.test(text);',
      '/[\\p{L}--[a-z]]+:?/v.test(text);',
    ],
    invalid: [
      '/\\s+$/.test(text);',
      '/^\\s*-*\\s*$/m.test(text);',
      '/^(?:a+)+$/.test(text);',
      '/\\{\\{\\s*([^{}]+)\\s*\\}\\}/.test(text);',
    ],
  },
  'log-messages': {
    valid: [
      "log.warn({ err }, 'a command failed');",
      "options.log.info({}, 'Slack refused a file');",
      "text.error('Sentences end.');",
    ],
    invalid: [
      "log.warn({ err }, 'A command failed');",
      "options.log.info({}, 'a command failed.');",
      'log.error({}, `Source ${id} failed`);',
    ],
  },
  'optional-properties': {
    valid: ['interface A { b?: string }', 'interface A { b: string | undefined }'],
    invalid: ['interface A { b?: string | undefined }', 'type A = { b?: undefined | null };'],
  },
  'plain-names': {
    valid: ['const maxTags = 5;', 'const most = 5;', 'const amend = 1;', 'const mendicant = 1;'],
    invalid: ['const mostTags = 5;', 'f({ longestLabel: 5 });', 'const mend = 1;', 'leastShare();'],
  },
  'throws-tags': {
    valid: [
      '/** Reads. It throws. */',
      '/** @throws {HttpError} 404 when there is none */',
      '/**\n * Reads.\n * @throws {HttpError}\n */',
      '// Throws where it can.',
    ],
    invalid: [
      '/** Reads. @throws {HttpError} */',
      '/** @throws what it likes */',
      '/** Throws HttpError 404. */',
      '/**\n * Reads. Throws where it can not.\n */',
    ],
  },
};

for (const [name, { valid, invalid }] of Object.entries(cases)) {
  const rule = plugin.rules[name as keyof typeof plugin.rules];
  tester.run(name, rule, { valid, invalid: invalid.map((code) => ({ code, errors: 1 })) });
}

it('the linter applies every rule', () => {
  const applied = Object.keys(config.rules ?? {}).filter((name) => name.startsWith('house/'));
  expect(applied.toSorted()).toEqual(
    Object.keys(cases)
      .map((name) => `house/${name}`)
      .toSorted(),
  );
});
