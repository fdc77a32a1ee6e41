import { globSync } from 'node:fs';
import { relative } from 'node:path';
import { defineConfig, type OxlintOverride } from 'oxlint';

/**
 * What each folder of `src` may import besides its own files: other folders, then packages.
 * What is not listed is refused, types included; a folder without a row stops the linter.
 */
export const allowedImports: Record<string, string[]> = {
  // And start.js.
  'main.ts': ['cli', 'node:*'],
  cli: [
    'app',
    'config',
    'conversation',
    'primitives',
    'service',
    'setup',
    'stores',
    'leven',
    'pino',
    'undici',
    'ws',
    'node:*',
  ],
  app: [
    'api',
    'chatbot',
    'commands',
    'config',
    'conversation',
    'discord',
    'messages',
    'primitives',
    'sandbox',
    'service',
    'slack',
    'stores',
    '@hono/node-server',
    'pino',
    'pino-pretty',
    'prom-client',
    'node:*',
  ],
  setup: [
    'app',
    'chatbot',
    'commands',
    'config',
    'conversation',
    'discord',
    'primitives',
    'service',
    'slack',
    'stores',
    '@slack/bolt',
    'discord.js',
    'undici',
    'node:*',
  ],
  config: ['primitives', 'leven', 'node:net', 'node:path'],
  messages: ['node:fs'],
  api: ['zod'],
  primitives: [
    'eventsource-parser',
    'lru-cache',
    'undici',
    'node:fs',
    'node:http',
    'node:https',
    'node:net',
    'node:path',
    'node:sqlite',
    'node:timers/promises',
  ],
  conversation: ['messages', 'primitives', 'node:crypto', 'tlds', 'zod'],
  chatbot: ['api', 'conversation', 'messages', 'primitives', 'undici', 'zod', 'node:*'],
  stores: ['conversation', 'primitives', 'keyv', 'node:*'],
  commands: [
    'api',
    'chatbot',
    'conversation',
    'messages',
    'primitives',
    'node:crypto',
    'node:util',
    'zod',
  ],
  slack: [
    'commands',
    'conversation',
    'messages',
    'primitives',
    '@slack/bolt',
    'undici',
    'zod',
    'node:*',
  ],
  discord: [
    'commands',
    'conversation',
    'messages',
    'primitives',
    'discord.js',
    'lru-cache',
    'undici',
    'node:*',
  ],
  service: [
    'api',
    'messages',
    'primitives',
    '@fastify/busboy',
    'csv-parse',
    'hono',
    'htmlparser2',
    'ipaddr.js',
    'lru-cache',
    'saxes',
    'undici',
    'unpdf',
    'yauzl',
    'zod',
    'node:*',
  ],
  sandbox: ['primitives', '@fastify/busboy', 'hono', 'markdown-it', 'ws', 'zod', 'node:*'],
};

/** Import paths are matched as they are written, so every folder below `src` needs a rule of its own. */
function importBoundary(folder: string) {
  const row = folder.split('/')[1] ?? 'main.ts';
  const allowed = allowedImports[row];
  if (allowed === undefined) throw new Error(`src/${row} has no row in allowedImports`);

  const src = `${relative(folder, 'src') || '.'}/`;
  const ownFiles =
    folder === 'src' ? ['!./main.ts', '!./bundled-libraries.ts'] : ['!./**', '!../**', `${src}**`];
  const others = allowed.flatMap((name) => {
    const path = Object.hasOwn(allowedImports, name) ? `${src}${name}` : name;
    return [`!${path}`, `!${path}/**`];
  });
  const message = `src/${row} may import: ${allowed.join(', ') || 'nothing else'}`;
  return {
    files: [`${folder}/*`],
    rules: {
      'no-restricted-imports': [
        'error',
        { patterns: [{ group: ['**', ...ownFiles, ...others], message }] },
      ],
    },
  } satisfies OxlintOverride;
}

const folders = globSync('src/**/', { cwd: import.meta.dirname });

export default defineConfig({
  plugins: ['typescript', 'unicorn', 'import', 'promise', 'oxc', 'vitest'],
  jsPlugins: ['./lint/house-rules.ts'],
  categories: {
    correctness: 'error',
    suspicious: 'error',
    perf: 'error',
  },
  ignorePatterns: ['node_modules', 'data', 'coverage'],
  rules: {
    'house/camel-case-constants': 'error',
    'house/conditional-spread': 'error',
    'house/linear-patterns': 'error',
    'house/log-messages': 'error',
    'house/optional-properties': 'error',
    'house/plain-names': 'error',
    'house/throws-tags': 'error',
    eqeqeq: 'error',
    'no-else-return': 'error',
    'no-lonely-if': 'error',
    'no-param-reassign': 'error',
    'no-useless-return': 'error',
    'object-shorthand': 'error',
    'prefer-template': 'error',
    'no-console': 'error',
    'no-var': 'error',
    'prefer-const': 'error',
    'no-await-in-loop': 'off',
    'no-shadow': 'off',
    'import/no-cycle': [
      'error',
      {
        ignoreTypes: false,
      },
    ],
    'import/no-default-export': 'error',
    'typescript/array-type': 'error',
    'typescript/consistent-type-definitions': 'error',
    'typescript/no-explicit-any': 'error',
    'typescript/no-floating-promises': 'error',
    'typescript/no-misused-promises': 'error',
    'typescript/switch-exhaustiveness-check': 'error',
    'typescript/consistent-type-imports': 'error',
    'typescript/prefer-optional-chain': 'error',
    'typescript/prefer-readonly': 'error',
    'typescript/require-array-sort-compare': 'error',
    'unicorn/filename-case': 'error',
    'unicorn/require-post-message-target-origin': 'off',
    'consistent-return': 'off',
    'typescript/no-unsafe-type-assertion': 'off',
    'unicorn/consistent-function-scoping': 'off',
    'typescript/unbound-method': 'off',
    'oxc/no-map-spread': 'off',
    'import/no-named-as-default-member': 'off',
    'vitest/no-conditional-expect': 'error',
    'vitest/expect-expect': [
      'error',
      { assertFunctionNames: ['expect*', 'assert', 'fc.assert', 'act', 'run*', 'refuse*'] },
    ],
    'no-unmodified-loop-condition': 'off',
    'vitest/valid-title': ['error', { ignoreTypeOfDescribeName: true }],
  },
  overrides: [
    { files: ['*.config.ts', 'lint/*'], rules: { 'import/no-default-export': 'off' } },
    { files: ['test/**', 'lint/*'], rules: { 'house/linear-patterns': 'off' } },
    ...folders.map(importBoundary),
  ],
});
