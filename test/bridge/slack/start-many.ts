import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { scopesFor } from '../../../src/bridge/slack/manifest.ts';
import type { InstallationRecord } from '../../../src/bridge/slack/installations.ts';
import {
  createSlackPlatform,
  type SlackPlatform,
} from '../../../src/bridge/slack/slack-platform.ts';
import { createSeal } from '../../../src/shared/primitives/seal.ts';
import { createFakeCore, type FakeCore } from '../../fixtures/fake-core.ts';
import { createMemoryLog, type MemoryLog } from '../../fixtures/memory-log.ts';
import { createMemoryStore } from '../../fixtures/memory-store.ts';
import { exampleRunner } from './example-commands.ts';
import { type ApiCall, type FakeSlackApi, grantOf, serveSlackApi } from './fake-slack-api.ts';

const signingSecret = 'signing-secret';
const seal = createSeal(randomBytes(32));

/** The adapter at work for an app that workspaces install, whose events come by HTTP. */
export interface StartedMany extends AsyncDisposable {
  platform: SlackPlatform;
  core: FakeCore;
  log: MemoryLog;
  slack: FakeSlackApi;
  installations: Map<string, InstallationRecord>;
  /** The workspaces whose data was deleted. */
  forgotten: string[];
  /** Has a browser install the app, with a code that Slack grants. Resolves with the last page. */
  install(code: string, query?: Record<string, string>): Promise<Response>;
  /** Requests a page as a browser does. */
  browse(path: string, headers?: Record<string, string>): Promise<Response>;
  /** Delivers what Slack sends; resolves with the status of the answer. */
  deliver(body: object): Promise<number>;
  /** Delivers a message in a channel. */
  say(team: string, event: object, others?: object): Promise<number>;
}

export async function startMany({
  answer = () => undefined,
  installations = new Map<string, InstallationRecord>(),
  retentionMs,
  onForgotten = async () => {},
}: {
  /** Answers a call of the Web API; by default like a Slack that has everything. */
  answer?: (call: ApiCall) => object | undefined;
  installations?: Map<string, InstallationRecord>;
  retentionMs?: number;
  /** Called while the data of a workspace is deleted. */
  onForgotten?: (team: string) => Promise<void>;
} = {}): Promise<StartedMany> {
  await using parts = new AsyncDisposableStack();
  const slack = parts.use(
    await serveSlackApi((call) => {
      const { method, params, token = '' } = call;
      const own = answer(call);
      if (own) return own;
      if (method === 'oauth.v2.access') return grantOf(params['code'] ?? '');
      if (method === 'auth.test') return { ok: true, bot_id: token.replace('xoxb-', 'B') };
      if (method === 'users.info') return { ok: true, user: { id: params['user'], name: token } };
      if (method === 'conversations.info') {
        return { ok: true, channel: { id: params['channel'], is_private: false } };
      }
      return { ok: true, channel: params['channel'], ts: '9.000', usergroups: [] };
    }),
  );
  const log = createMemoryLog();
  const forgotten: string[] = [];
  const platform = parts.use(
    createSlackPlatform({
      install: {
        clientId: '1.2',
        scopes: scopesFor({}),
        clientSecret: 'client-secret',
        stateSecret: 'a-long-state-secret',
        installations: createMemoryStore(installations),
        shared: createMemoryStore(),
        seal,
        retentionMs,
        async forget(team) {
          forgotten.push(team);
          await onForgotten(team);
        },
      },
      signingSecret,
      apiUrl: slack.url,
      commands: exampleRunner(async function* () {
        yield* [];
      }),
      log,
    }),
  );
  const core = createFakeCore();
  core.readFrom(platform);
  await platform.start(core);
  const server = createServer((request, response) => {
    const [path = ''] = (request.url ?? '').split('?');
    const listener = platform.pages?.get(path) ?? platform.requestListener;
    listener?.(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  parts.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const browse = (path: string, headers: Record<string, string> = {}) =>
    fetch(new URL(path, origin), { redirect: 'manual', headers });

  async function deliver(body: object): Promise<number> {
    const time = String(Math.floor(Date.now() / 1000));
    const text = JSON.stringify(body);
    const signature = createHmac('sha256', signingSecret).update(`v0:${time}:${text}`);
    const response = await fetch(new URL('/slack/events', origin), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-slack-request-timestamp': time,
        'x-slack-signature': `v0=${signature.digest('hex')}`,
      },
      body: text,
    });
    return response.status;
  }

  const started = parts.move();
  return {
    platform,
    core,
    log,
    slack,
    installations,
    forgotten,
    browse,
    async install(code, query = {}) {
      const begun = await browse('/slack/install');
      const [cookie = ''] = begun.headers.getSetCookie().map((each) => each.split(';')[0]);
      const state = new URL(begun.headers.get('location') ?? '').searchParams.get('state') ?? '';
      const back = new URLSearchParams({ code, state, ...query });
      return browse(`/slack/oauth_redirect?${back.toString()}`, { cookie });
    },
    deliver,
    say: (team, event, others = {}) =>
      deliver({
        type: 'event_callback',
        team_id: team,
        event_time: Math.floor(Date.now() / 1000),
        authorizations: [{ team_id: team, enterprise_id: null, is_enterprise_install: false }],
        event: { type: 'message', channel: 'C1', user: 'U1', ...event },
        ...others,
      }),
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}
