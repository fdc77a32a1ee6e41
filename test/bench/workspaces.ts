import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fetch } from 'undici';
import { createChatbotClient } from '../../src/bridge/chatbot/chatbot-client.ts';
import { sourceProgress } from '../../src/shared/api/data-source.ts';
import { readMemoryMb } from '../../src/service/ingestion/confined-process.ts';
import { grantOf, serveSlackApi } from '../bridge/slack/fake-slack-api.ts';

/**
 * What many Slack workspaces cost one process: 200 install the app by OAuth, then the process starts
 * again, and a question is asked in each at the same time. Slack is a server of the bench that answers
 * at once. Linux only.
 *
 *     npm run bench -- workspaces [--workspaces=200]
 *
 * Prints a line of JSON per number of workspaces: one, for comparison, and all.
 */

const port = 3991;
const origin = `http://127.0.0.1:${port}`;
const signingSecret = 'bench-signing-secret';
const apiKey = 'a-key-for-the-bench-of-workspaces';
const root = join(import.meta.dirname, '../..');
const wanted = process.argv.find((each) => each.startsWith('--workspaces='));
const most = Number(wanted?.split('=')[1] ?? 200);
const question = 'What is the secret word?';
const answer = 'persimmon';

const rows = [await measure(1), await measure(most)];
const [one, all] = rows;
const perWorkspaceMb = ((all?.askedMb ?? 0) - (one?.askedMb ?? 0)) / (most - 1);
const row = { bench: 'workspaces', workspaces: most, mbPerWorkspace: round(perWorkspaceMb) };
process.stdout.write(`${JSON.stringify(row)}\n`);

async function measure(count: number) {
  await using parts = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'causeway-workspaces-'));
  parts.defer(() => rmSync(folder, { recursive: true, force: true }));
  const answered = new Map<string, number>();
  const slack = parts.use(
    await serveSlackApi(({ method, token = '', params }) => {
      if (method === 'oauth.v2.access') return grantOf(params['code'] ?? '');
      if (method === 'auth.test') return { ok: true, bot_id: token.replace('xoxb-', 'B') };
      if (method === 'users.info') return { ok: true, user: { id: 'U1', name: 'Ada' } };
      if (JSON.stringify(params).includes(answer) && !answered.has(token)) {
        answered.set(token, performance.now());
      }
      return { ok: true, channel: 'C1', ts: '9.000', usergroups: [] };
    }),
  );
  const teams = Array.from({ length: count }, (_, index) => `T${1000 + index}`);
  const first = await start(folder, slack.url);
  for (const team of teams) await install(team);
  await teach(count);
  await first.stop();
  const second = await start(folder, slack.url);
  const readyMb = (await readMemoryMb(second.pid)) ?? 0;
  const askedMs = performance.now();
  await Promise.all(teams.map(ask));
  while (answered.size < count) {
    if (performance.now() - askedMs > 120_000) throw new Error(`${answered.size} were answered`);
    await sleep(20);
  }
  const times = [...answered.values()]
    .map((at) => Math.round(at - askedMs))
    .toSorted((a, b) => a - b);
  const askedMb = (await readMemoryMb(second.pid)) ?? 0;
  await second.stop();
  const measured = {
    bench: 'workspaces',
    workspaces: count,
    startMs: second.readyMs,
    readyMb: Math.round(readyMb),
    askedMb: Math.round(askedMb),
    medianAnswerMs: times[Math.floor(count / 2)],
    slowestAnswerMs: times.at(-1),
  };
  process.stdout.write(`${JSON.stringify(measured)}\n`);
  return measured;
}

async function start(folder: string, slackUrl: string) {
  const startedMs = performance.now();
  const child = spawn(process.execPath, ['src/start.js'], {
    cwd: root,
    env: {
      PATH: process.env['PATH'],
      DATA_DIR: folder,
      PORT: String(port),
      LOG_LEVEL: 'error',
      SLACK_API_URL: slackUrl,
      SLACK_CLIENT_ID: '1.2',
      SLACK_CLIENT_SECRET: 'bench-client-secret',
      SLACK_STATE_SECRET: 'bench-state-secret',
      SLACK_SIGNING_SECRET: signingSecret,
      SECRETS_KEY: '5a'.repeat(32),
      SERVICE_API_KEYS: apiKey,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const exited = once(child, 'exit');
  while (!(await isReady())) {
    if (child.exitCode !== null) throw new Error('the process ended before it was ready');
    await sleep(5);
  }
  return {
    pid: child.pid ?? 0,
    readyMs: Math.round(performance.now() - startedMs),
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

async function isReady(): Promise<boolean> {
  try {
    const response = await fetch(`${origin}/readyz`);
    await response.text();
    return response.status === 200;
  } catch {
    return false;
  }
}

async function install(team: string): Promise<void> {
  const begun = await fetch(`${origin}/slack/install`, { redirect: 'manual' });
  const cookie = begun.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const state = new URL(begun.headers.get('location') ?? '').searchParams.get('state') ?? '';
  const back = new URLSearchParams({ code: team, state });
  const page = await fetch(`${origin}/slack/oauth_redirect?${back.toString()}`, {
    headers: { cookie },
  });
  if (!page.ok) throw new Error(await page.text());
}

/** Once each workspace has its chatbot, all of them learn the same. */
async function teach(count: number): Promise<void> {
  await using client = createChatbotClient({ baseUrl: origin, apiKey });
  let chatbots = await client.listChatbots();
  while (chatbots.length < count) {
    await sleep(50);
    chatbots = await client.listChatbots();
  }
  const source = { question, answer: `It is ${answer}.` };
  for (const { uuid } of chatbots) await client.addQaSource(uuid, source);
  for (const { uuid } of chatbots) {
    while (
      (await client.listDataSources(uuid)).some(({ status }) => sourceProgress(status) !== 'ready')
    ) {
      await sleep(50);
    }
  }
}

async function ask(team: string): Promise<void> {
  const time = String(Math.floor(Date.now() / 1000));
  const text = `<@UBOT${team}> ${question}`;
  const body = JSON.stringify({
    type: 'event_callback',
    team_id: team,
    event_time: Number(time),
    authorizations: [{ team_id: team, enterprise_id: null, is_enterprise_install: false }],
    event: { type: 'app_mention', channel: 'C1', user: 'U1', text, ts: `${time}.000` },
  });
  const signature = createHmac('sha256', signingSecret).update(`v0:${time}:${body}`).digest('hex');
  const response = await fetch(`${origin}/slack/events`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-slack-request-timestamp': time,
      'x-slack-signature': `v0=${signature}`,
    },
    body,
  });
  if (!response.ok) throw new Error(`The event of ${team} got ${response.status}.`);
  await response.text();
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
