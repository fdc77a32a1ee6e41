import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fetch } from 'undici';

/** A process of Causeway that workspaces of Slack install, and whose Slack a bench plays. */
export interface SlackApp {
  readonly origin: string;
  readonly pid: number;
  /** How long its start took. */
  readonly readyMs: number;
  /** Installs it in a workspace, as its administrator does in a browser. */
  install(team: string): Promise<void>;
  /** Sends an event of a workspace over HTTP. Resolves when it is acknowledged. */
  send(team: string, event: object): Promise<void>;
  stop(): Promise<void>;
}

const root = join(import.meta.dirname, '../..');
const signingSecret = 'bench-signing-secret';

/** @param env what is not the same for all benches, `DATA_DIR` and `SLACK_API_URL` among it */
export async function startSlackApp(port: number, env: Record<string, string>): Promise<SlackApp> {
  const origin = `http://127.0.0.1:${port}`;
  const startedMs = performance.now();
  const child = spawn(process.execPath, ['src/start.js'], {
    cwd: root,
    env: {
      PATH: process.env['PATH'],
      PORT: String(port),
      LOG_LEVEL: 'error',
      SLACK_CLIENT_ID: '1.2',
      SLACK_CLIENT_SECRET: 'bench-client-secret',
      SLACK_STATE_SECRET: 'bench-state-secret',
      SLACK_SIGNING_SECRET: signingSecret,
      SECRETS_KEY: '5a'.repeat(32),
      ...env,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const exited = once(child, 'exit');
  while (!(await isReady(origin))) {
    if (child.exitCode !== null) throw new Error('the process ended before it was ready');
    await sleep(5);
  }
  return {
    origin,
    pid: child.pid ?? 0,
    readyMs: Math.round(performance.now() - startedMs),
    install: (team) => install(origin, team),
    send: (team, event) => send(origin, team, event),
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

async function isReady(origin: string): Promise<boolean> {
  try {
    const response = await fetch(`${origin}/readyz`);
    await response.text();
    return response.status === 200;
  } catch {
    return false;
  }
}

async function install(origin: string, team: string): Promise<void> {
  const begun = await fetch(`${origin}/slack/install`, { redirect: 'manual' });
  const cookie = begun.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const state = new URL(begun.headers.get('location') ?? '').searchParams.get('state') ?? '';
  const back = new URLSearchParams({ code: team, state });
  const page = await fetch(`${origin}/slack/oauth_redirect?${back.toString()}`, {
    headers: { cookie },
  });
  if (!page.ok) throw new Error(await page.text());
}

async function send(origin: string, team: string, event: object): Promise<void> {
  const time = String(Math.floor(Date.now() / 1000));
  const body = JSON.stringify({
    type: 'event_callback',
    team_id: team,
    event_time: Number(time),
    authorizations: [{ team_id: team, enterprise_id: null, is_enterprise_install: false }],
    event,
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
