import { isOwnerName, ownerNameRule } from '../config/chatbot.ts';
import { ConfigError, readConfig } from '../config/config.ts';
import type { Command, Input } from './command-line.ts';
import { openDataDir } from '../app/upstream.ts';

const storeUrl = 'sqlite:file or postgres://…';

export const copyCommand: Command = {
  summary: 'Copy the data from SQLite to Postgres or back, while Causeway is stopped.',
  options: {
    from: { summary: 'where the data is, like STORE_URL', value: storeUrl },
    to: { summary: 'where the copy goes, like STORE_URL', value: storeUrl },
    owner: { summary: 'only the service’s data of this owner', value: 'name' },
    replace: { summary: 'delete the data that is in the target' },
  },
  run: copy,
};

async function copy({ env, options }: Input): Promise<void> {
  const { from, to, owner } = options;
  const { dataDir } = readConfig(env, 'service');
  const faults = [
    ...(typeof from === 'string' ? [] : ['--from is missing.']),
    ...(typeof to === 'string' ? [] : ['--to is missing.']),
    ...(typeof owner === 'string' && !isOwnerName(owner)
      ? [`--owner is “${owner}”, which can’t be an owner’s name. ${ownerNameRule}`]
      : []),
  ];
  if (typeof from !== 'string' || typeof to !== 'string' || faults.length > 0) {
    throw new ConfigError(faults);
  }
  const { copyData } = await import('../app/copy.ts');
  await openDataDir(dataDir);
  const say = (line: string) => void process.stdout.write(`${line}\n`);
  const rows = await copyData({
    from,
    to,
    dataDir,
    replace: options['replace'] === true,
    ...(typeof owner === 'string' && { owner }),
    say,
  });
  const next =
    owner === undefined
      ? 'Set STORE_URL to the copy, and start Causeway.'
      : 'Start Causeway there.';
  say(`Copied ${rows} rows. Both sides have the same checksums. ${next}`);
}
