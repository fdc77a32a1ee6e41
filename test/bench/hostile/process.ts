import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readOrigin } from '../../service/kill-rounds.ts';

const key = 'a-key-for-hostile-files';

/** A service in a process of its own, with a chatbot to add sources to. */
export interface ServiceProcess extends AsyncDisposable {
  pid: number;
  /** The variables by which a bridge talks to it. */
  env: Record<string, string>;
  upload(content: string | Buffer, name: string, type: string): Promise<Outcome>;
  addUrl(url: string): Promise<Outcome>;
  /** The time that a request for its health takes, in ms. */
  pingMs(): Promise<number>;
}

export interface Outcome {
  /** Of the answer where it is a refusal, otherwise of the source in the end. */
  status: number | string;
  /** What the owner reads. */
  reason: string;
}

interface Source {
  uuid: string;
  status: string;
  meta_json: string;
}

const pollMs = 50;

const main = new URL('../../../src/start.js', import.meta.url).pathname;

/** Starts `serve` with the variables added and waits until it prints where it answers. */
export async function startServiceProcess(env: Record<string, string> = {}) {
  const dataDir = await mkdtemp(join(tmpdir(), 'causeway-hostile-'));
  const child = spawn(process.execPath, [main, 'serve'], {
    cwd: dataDir,
    env: { DATA_DIR: dataDir, PORT: '0', SERVICE_API_KEYS: key, LOG_LEVEL: 'silent', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const origin = await readOrigin(child.stdout);
  const headers = { authorization: `Bearer ${key}` };
  const json = { ...headers, 'content-type': 'application/json' };

  async function post(path: string, init: RequestInit) {
    const response = await fetch(`${origin}/api/v1${path}`, { method: 'POST', ...init });
    return {
      status: response.status,
      body: (await response.json()) as Source & { error?: string },
    };
  }
  const made = await post('/chatbot/create', { headers: json, body: '{"name":"Bench"}' });
  const chatbot = `/chatbot/${made.body.uuid}`;

  async function follow({ status, body }: Awaited<ReturnType<typeof post>>): Promise<Outcome> {
    if (status !== 200) return { status, reason: body.error ?? '' };
    for (;;) {
      const response = await fetch(`${origin}/api/v1${chatbot}/data-sources`, { headers });
      const sources = (await response.json()) as Source[];
      const { status = 'gone', meta_json } = sources.find(({ uuid }) => uuid === body.uuid) ?? {};
      if (/^(?:success|error|gone)/u.test(status)) {
        const { error = '' } = JSON.parse(meta_json ?? '{}') as { error?: string };
        return { status, reason: error };
      }
      await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
  }

  return {
    pid: child.pid ?? 0,
    env: {
      CHATBOT_API_URL: origin,
      CHATBOT_API_KEY: key,
      CHATBOT_UUID: made.body.uuid,
    },
    async upload(content, name, type) {
      const form = new FormData();
      form.set('file', new Blob([Buffer.from(content)], { type }), name);
      return follow(await post(`${chatbot}/data-source/upload`, { headers, body: form }));
    },
    addUrl: async (url) =>
      follow(
        await post(`${chatbot}/data-source/url`, { headers: json, body: JSON.stringify({ url }) }),
      ),
    async pingMs() {
      const begun = performance.now();
      await (await fetch(`${origin}/healthz`)).text();
      return performance.now() - begun;
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await exited;
      await rm(dataDir, { recursive: true });
    },
  } satisfies ServiceProcess;
}
