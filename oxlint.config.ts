import { globSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { defineConfig, type OxlintOverride } from 'oxlint';

/**
 * What each folder of `src` may import besides its own files: other folders, then packages.
 * What is not listed is refused, types included; a folder without a row stops the linter.
 */
export const allowedImports: Record<string, string[]> = {
  // And start.js.
  'main.ts': ['cli', 'config', 'node:*'],
  cli: [
    'app',
    'config',
    'bridge/conversation',
    'bridge/discord',
    'shared/primitives',
    'service',
    'cli/setup',
    'shared/stores',
    'leven',
    'pino',
    'undici',
    'node:*',
  ],
  app: [
    'bridge/stores',
    'shared/api',
    'bridge/chatbot',
    'bridge/commands',
    'config',
    'bridge/conversation',
    'bridge/discord',
    'bridge/texts',
    'shared/primitives',
    'sandbox',
    'service',
    'bridge/slack',
    'shared/stores',
    '@hono/node-server',
    'pino',
    'pino-pretty',
    'prom-client',
    'node:*',
  ],
  'cli/setup': [
    'bridge/stores',
    'app',
    'bridge/chatbot',
    'bridge/commands',
    'config',
    'bridge/conversation',
    'bridge/discord',
    'shared/primitives',
    'shared/problems',
    'service',
    'bridge/slack',
    'shared/stores',
    '@slack/bolt',
    'discord.js',
    'undici',
    'node:*',
  ],
  config: ['shared/primitives', 'shared/stores', 'leven', 'node:net', 'node:path'],
  'bridge/texts': ['shared/problems', 'node:fs'],
  'bridge/stores': [
    'bridge/conversation',
    'shared/primitives',
    'shared/stores',
    'keyv',
    'kysely',
    'node:*',
  ],
  'shared/api': ['zod'],
  'shared/problems': [],
  'shared/primitives': [
    'eventsource-parser',
    'lru-cache',
    'undici',
    'node:crypto',
    'node:fs',
    'node:http',
    'node:https',
    'node:net',
    'node:path',
    'node:timers/promises',
  ],
  'bridge/conversation': [
    'shared/problems',
    'bridge/texts',
    'shared/primitives',
    'node:async_hooks',
    'node:crypto',
    'tlds',
    'zod',
  ],
  'bridge/chatbot': [
    'shared/problems',
    'shared/api',
    'bridge/conversation',
    'bridge/texts',
    'shared/primitives',
    'undici',
    'zod',
    'node:*',
  ],
  'shared/jobs': ['shared/primitives', 'shared/stores', 'kysely', 'pg-boss'],
  'shared/stores': ['shared/primitives', 'keyv', 'kysely', 'pg', 'node:*'],
  'bridge/commands': [
    'leven',
    'shared/problems',
    'shared/api',
    'bridge/chatbot',
    'bridge/conversation',
    'bridge/texts',
    'shared/primitives',
    'node:crypto',
    'node:util',
    'zod',
  ],
  'bridge/slack': [
    'shared/problems',
    'bridge/commands',
    'bridge/conversation',
    'bridge/texts',
    'shared/primitives',
    '@slack/bolt',
    '@slack/oauth',
    'undici',
    'zod',
    'node:*',
  ],
  'bridge/discord': [
    'shared/problems',
    'bridge/commands',
    'bridge/conversation',
    'bridge/texts',
    'shared/primitives',
    'discord.js',
    'lru-cache',
    'undici',
    'ws',
    'node:*',
  ],
  service: [
    'shared/api',
    'shared/jobs',
    'shared/primitives',
    'shared/problems',
    'shared/stores',
    '@fastify/busboy',
    'csv-parse',
    'hono',
    'htmlparser2',
    'ipaddr.js',
    'kysely',
    'lru-cache',
    'saxes',
    'undici',
    'unpdf',
    'yauzl',
    'zod',
    'node:*',
  ],
  sandbox: ['shared/primitives', '@fastify/busboy', 'hono', 'markdown-it', 'ws', 'zod', 'node:*'],
};

/** The row of a folder such as `src/bridge/slack/events`: the longest that its path begins with. */
export function rowOf(folder: string): string {
  const [, room = 'main.ts', inner = ''] = folder.split('/');
  return Object.hasOwn(allowedImports, `${room}/${inner}`) ? `${room}/${inner}` : room;
}

/** Import paths are matched as they are written, so every folder below `src` needs a rule of its own. */
function importBoundary(folder: string) {
  const row = rowOf(folder);
  const allowed = allowedImports[row];
  if (allowed === undefined) throw new Error(`src/${row} has no row in allowedImports`);

  const outside = `${relative(folder, dirname(`src/${row}`)) || '.'}/`;
  const ownFiles = folder === 'src' ? ['!./main.ts'] : ['!./**', '!../**', `${outside}**`];
  const others = allowed.flatMap((name) => {
    const path = Object.hasOwn(allowedImports, name) ? pathBetween(folder, `src/${name}`) : name;
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

function pathBetween(folder: string, target: string): string {
  return relative(folder, target).replace(/^(?!\.)/, './');
}

/** The folders of `src`. `bridge` and `shared` hold only folders, each with a row of its own. */
export function listFolders(): string[] {
  const folders = globSync('src/**/', { cwd: import.meta.dirname });
  return folders.filter((folder) => !['src/bridge', 'src/shared'].includes(folder));
}

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
    ...listFolders().map(importBoundary),
  ],
});
