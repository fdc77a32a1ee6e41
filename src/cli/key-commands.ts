import type { KeyManager } from '../app/manage-keys.ts';
import { readConfig } from '../config/config.ts';
import type { CommandGroup, Input } from './command.ts';
import { openDataDir } from './data-dir.ts';

/** Manages the keys of the built-in service. */
export const keyCommands: CommandGroup = {
  summary: 'Add, list and revoke keys of the built-in service, also while it runs.',
  actions: {
    add: {
      summary: 'Create a key and print it, once.',
      options: {
        owner: {
          summary: 'whose data it is for, created if missing; local by default',
          value: 'name',
        },
        name: { summary: 'what the key is for, as the list shows it', value: 'text' },
      },
      run: ({ env, options }) =>
        run(env, (keys) => keys.add(toText(options['owner']), toText(options['name']))),
    },
    list: {
      summary: 'List the keys: where each begins, its owner and its last use.',
      options: {},
      run: ({ env }) => run(env, (keys) => keys.list()),
    },
    revoke: {
      summary: 'Revoke a key, which is refused at once.',
      argument: '<prefix>',
      options: {},
      run: ({ env, argument = '' }) => run(env, (keys) => keys.revoke(argument)),
    },
  },
};

async function run(env: Input['env'], use: (keys: KeyManager) => string): Promise<void> {
  const config = readConfig(env, 'service');
  const { openKeys } = await import('../app/manage-keys.ts');
  await openDataDir(config.dataDir);
  using keys = openKeys(config);
  process.stdout.write(`${use(keys)}\n`);
}

function toText(value: Input['options'][string]): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
