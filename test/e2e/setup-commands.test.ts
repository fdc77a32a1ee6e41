import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseEnv } from 'node:util';
import { expect, test } from 'vitest';
import { type Installation, install } from '../cli/setup/installation.ts';

const projectRoot = join(import.meta.dirname, '../..');
const start = join(projectRoot, 'src/start.js');

/** Runs a command of the process in its data folder, with a script for its questions. */
async function run({ env }: Installation, args: string[], lines: string[] = []) {
  const child = spawn(process.execPath, [start, ...args], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    cwd: env['DATA_DIR'],
  });
  child.stdin.end(lines.map((line) => `${line}\n`).join(''));
  const [shown, complained, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number]>,
  ]);
  return { shown, complained, code };
}

test('npm run connect asks for what the options leave out, and writes .env', async () => {
  await using installation = await install(['Slack', 'Discord']);
  const { env } = installation;
  const path = join(env['DATA_DIR'] ?? '', '.env');
  const { SLACK_BOT_TOKEN: bot = '', SLACK_APP_TOKEN: app = '', DISCORD_TOKEN: discord = '' } = env;
  writeFileSync(path, 'LOG_LEVEL=warn\n');
  delete env['SLACK_BOT_TOKEN'];
  delete env['SLACK_APP_TOKEN'];
  delete env['DISCORD_TOKEN'];
  const answers = ['', '', bot, app, '', '', ''];
  const connected = await run(installation, ['connect', '--discord-token', discord], answers);
  expect(connected).toMatchObject({ code: 0, complained: '' });
  expect(connected.shown).toMatch(/^✓ Discord token: accepted.*Run npm start\.$/ms);
  const tokens = { SLACK_BOT_TOKEN: bot, SLACK_APP_TOKEN: app, DISCORD_TOKEN: discord };
  expect(parseEnv(readFileSync(path, 'utf8'))).toEqual({ LOG_LEVEL: 'warn', ...tokens });
});
