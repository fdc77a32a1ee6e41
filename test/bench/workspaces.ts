import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createChatbotClient } from '../../src/bridge/chatbot/chatbot-client.ts';
import { sourceProgress } from '../../src/shared/api/data-source.ts';
import { readMemoryMb } from '../../src/service/ingestion/confined-process.ts';
import { grantOf, serveSlackApi } from '../bridge/slack/fake-slack-api.ts';
import { startSlackApp } from './slack-app.ts';

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
const apiKey = 'a-key-for-the-bench-of-workspaces';
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
  const env = { DATA_DIR: folder, SLACK_API_URL: slack.url, SERVICE_API_KEYS: apiKey };
  const first = await startSlackApp(port, env);
  for (const team of teams) await first.install(team);
  await teach(first.origin, count);
  await first.stop();
  const second = await startSlackApp(port, env);
  const readyMb = (await readMemoryMb(second.pid)) ?? 0;
  const askedMs = performance.now();
  await Promise.all(teams.map((team) => second.send(team, toMention(team))));
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

/** Once each workspace has its chatbot, all of them learn the same. */
async function teach(origin: string, count: number): Promise<void> {
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

/** Events of one moment, a mention each. */
function toMention(team: string) {
  const ts = `${Math.floor(Date.now() / 1000)}.000`;
  const text = `<@UBOT${team}> ${question}`;
  return { type: 'app_mention', channel: 'C1', user: 'U1', text, ts };
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
