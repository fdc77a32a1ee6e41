import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createBoltLogger } from '../../../src/bridge/slack/clients.ts';
import {
  createInstallations,
  type InstallationRecord,
} from '../../../src/bridge/slack/installations.ts';
import { createInstallProvider } from '../../../src/bridge/slack/oauth.ts';
import { createTokens } from '../../../src/bridge/slack/token-renewal.ts';
import type { KeyedStore } from '../../../src/bridge/conversation/keyed-store.ts';
import { createSeal } from '../../../src/shared/primitives/seal.ts';
import { createMemoryLog } from '../../fixtures/memory-log.ts';
import { createMemoryStore, othersGoOn } from '../../fixtures/memory-store.ts';
import { serveSlackApi } from './fake-slack-api.ts';

const seal = createSeal(randomBytes(32));
const credentials = { clientId: '1.2', clientSecret: 'client-secret', stateSecret: 'state-secret' };

/** A Slack whose refresh tokens work once: r1 gives t2 and r2, and so on. */
async function serveRotation({ refuses = () => false }: { refuses?: () => boolean } = {}) {
  let number = 1;
  return serveSlackApi(({ params }) => {
    if (refuses() || params['refresh_token'] !== `r${number}`) {
      return { ok: false, error: 'invalid_refresh_token' };
    }
    number += 1;
    return {
      ok: true,
      token_type: 'bot',
      access_token: `t${number}`,
      refresh_token: `r${number}`,
      expires_in: 12 * 60 * 60,
    };
  });
}

/** A process that uses the store. */
async function start(store: KeyedStore<InstallationRecord>, apiUrl: string) {
  const log = createMemoryLog();
  const logger = createBoltLogger(log);
  const sleep = () => othersGoOn();
  const installations = createInstallations({ store, seal, log, sleep });
  const installationStore = installations.onRenewal;
  const provider = createInstallProvider(credentials, { installationStore, apiUrl, logger });
  const tokenOf = createTokens({ installations, provider, sleep, now: Date.now, log });
  await installations.load();
  return { installations, tokenOf, log };
}

async function storeWith(expiresInSeconds: number) {
  const values = new Map<string, InstallationRecord>();
  const store = createMemoryStore(values);
  const log = createMemoryLog();
  const expiresAt = Math.floor(Date.now() / 1000) + expiresInSeconds;
  await createInstallations({ store, seal, log }).onInstall.storeInstallation({
    team: { id: 'T1', name: 'One' },
    enterprise: undefined,
    user: { token: undefined, scopes: undefined, id: 'U1' },
    bot: {
      token: 't1',
      refreshToken: 'r1',
      expiresAt,
      scopes: ['chat:write'],
      id: 'B1',
      userId: 'UBOT',
    },
    isEnterpriseInstall: false,
    authVersion: 'v2',
  });
  return { values, store };
}

const anHour = 60 * 60;

test('a token that lasts is used as it is', async () => {
  await using slack = await serveRotation();
  const { store } = await storeWith(3 * anHour);
  const { tokenOf } = await start(store, slack.url);
  expect(await tokenOf('T:T1')).toBe('t1');
  expect(slack.calls).toEqual([]);
});

test('a token that expires soon is renewed once for all who ask, and stored before it is used', async () => {
  await using slack = await serveRotation();
  const { values, store } = await storeWith(anHour);
  let stored = '';
  const watched: typeof store = {
    ...store,
    async update(key, change, ttl) {
      const update = await store.update(key, change, ttl);
      stored = update.after?.sealed ?? '';
      return update;
    },
  };
  const { tokenOf, log } = await start(watched, slack.url);
  const given = await Promise.all(Array.from({ length: 20 }, () => tokenOf('T:T1')));
  expect(new Set(given)).toEqual(new Set(['t2']));
  expect(slack.calls).toHaveLength(1);
  expect(seal.open(stored, 'T:T1')).toContain('"refreshToken":"r2"');
  expect(values.get('T:T1')?.renewing).toBeUndefined();
  expect(JSON.stringify(log.lines)).not.toMatch(/"[tr][12]"|client-secret/);
  const { tokenOf: afterRestart } = await start(store, slack.url);
  expect(await afterRestart('T:T1')).toBe('t2');
});

test('two processes never renew at the same time', async () => {
  await using slack = await serveRotation();
  const { store } = await storeWith(anHour);
  const one = await start(store, slack.url);
  const other = await start(store, slack.url);
  expect(await Promise.all([one.tokenOf('T:T1'), other.tokenOf('T:T1')])).toEqual(['t2', 't2']);
  expect(slack.calls).toHaveLength(1);
});

test('a new token is not lost while the store fails', async () => {
  await using slack = await serveRotation();
  const { values, store } = await storeWith(anHour);
  let failures = 0;
  const failing: typeof store = {
    ...store,
    async update(key, change, ttl) {
      // Once Slack has given it.
      if (slack.calls.length > 0 && failures < 3) {
        failures += 1;
        throw new Error('The disk is full.');
      }
      return store.update(key, change, ttl);
    },
  };
  const { tokenOf } = await start(failing, slack.url);
  expect(await tokenOf('T:T1')).toBe('t2');
  expect(seal.open(values.get('T:T1')?.sealed ?? '', 'T:T1')).toContain('"token":"t2"');
});

test('a process that crashed while it renewed does not hold up the others for long', async () => {
  await using slack = await serveRotation();
  const { values, store } = await storeWith(anHour);
  const known = values.get('T:T1');
  if (known) values.set('T:T1', { ...known, renewing: { by: 'gone', until: Date.now() - 1 } });
  const { tokenOf } = await start(store, slack.url);
  expect(await tokenOf('T:T1')).toBe('t2');
});

test('while a renewal is refused, the old token is used, and Slack is not asked each time', async () => {
  await using slack = await serveRotation({ refuses: () => true });
  const { store } = await storeWith(anHour);
  const { tokenOf, log } = await start(store, slack.url);
  expect(await tokenOf('T:T1')).toBe('t1');
  expect(await tokenOf('T:T1')).toBe('t1');
  expect(slack.calls).toHaveLength(1);
  expect(log.lines).toContainEqual(expect.objectContaining({ level: 'warn' }));
});

test('a workspace that removed the app has no token', async () => {
  await using slack = await serveRotation();
  const { store } = await storeWith(3 * anHour);
  const { tokenOf, installations } = await start(store, slack.url);
  await installations.change('T:T1', (record) => ({ ...record, removedAt: 1 }));
  expect(await tokenOf('T:T1')).toBeUndefined();
  expect(await tokenOf('T:T2')).toBeUndefined();
});
