import { expect, test } from 'vitest';
import type { InstallationRecord } from '../../../src/bridge/slack/installations.ts';
import { openStore } from '../../../src/bridge/stores/open-store.ts';
import { examine, isHealthy, renderReport } from '../../../src/cli/setup/doctor.ts';
import { createSeal, parseSecretsKey } from '../../../src/shared/primitives/seal.ts';
import { install } from './installation.ts';

const key = '5a'.repeat(32);
const otherKey = 'a5'.repeat(32);
const dayMs = 24 * 60 * 60 * 1000;

/** An app that workspaces installed, each as told. */
async function installApp(workspaces: Record<string, Partial<Workspace>>) {
  const installation = await install(['Slack']);
  const { env } = installation;
  const { SLACK_BOT_TOKEN: token = '', ...rest } = env;
  const storeUrl = `sqlite:${env['DATA_DIR']}/causeway.sqlite`;
  const variables = {
    ...rest,
    STORE_URL: storeUrl,
    SLACK_CLIENT_ID: '1.2',
    SLACK_CLIENT_SECRET: 'the-client-secret',
    SLACK_STATE_SECRET: 'a-long-state-secret',
    SECRETS_KEY: key,
  };
  await using store = await openStore(storeUrl);
  for (const [name, workspace] of Object.entries(workspaces)) {
    const { token: own = token, sealedWith = key, ...record } = workspace;
    const id = `T:${name}`;
    const bot = { id: 'B1', userId: 'U1', scopes: [], token: own };
    const secretsKey = parseSecretsKey(sealedWith);
    if (!secretsKey) throw new Error('Not a key.');
    await store.keyv<InstallationRecord>('slack-installation').set(id, {
      team: { id: name, name },
      bot: { id: 'B1', userId: 'U1' },
      scopes: [],
      teams: [],
      installedAt: 0,
      sealed: createSeal(secretsKey).seal(JSON.stringify({ bot }), id),
      ...record,
    });
  }
  return { installation, variables };
}

interface Workspace extends InstallationRecord {
  /** By default, that of the sandbox's workspace. */
  token: string;
  sealedWith: string;
}

async function report(env: Record<string, string>) {
  const lines = (await examine(env)).filter(({ name }) => name === 'Slack installations');
  return { said: renderReport(lines), healthy: isHealthy(lines) };
}

test('each installation of an app for many workspaces is checked, and what to do about it is said', async () => {
  const { installation, variables } = await installApp({
    Acme: {},
    Beta: { expiresAt: Date.now() + dayMs },
    Revoked: { token: 'xoxb-revoked' },
    Lost: { sealedWith: otherKey },
    Expired: { expiresAt: Date.UTC(2026, 0, 2) },
    Gone: { removedAt: Date.UTC(2026, 0, 3) },
  });
  await using _ = installation;
  const { said, healthy } = await report(variables);
  const again = 'Have the app installed again there, at /slack/install.';
  expect(said.trimEnd().split('\n').toSorted()).toEqual(
    [
      `✗ Slack installations: Revoked: Slack refuses it (invalid_auth). ${again}`,
      `✗ Slack installations: the tokens of Lost can’t be decrypted: what is stored was encrypted with another SECRETS_KEY. Set SECRETS_KEY or SECRETS_KEY_PREVIOUS to the key that encrypted them. If it is lost: ${again}`,
      `– Slack installations: not checked: the token of Expired expired on 2026-01-02. Start Causeway, which renews it. If its log says that Slack refuses to: ${again}`,
      '– Slack installations: Gone removed the app on 2026-01-03.',
      '✓ Slack installations: Acme, Beta: Slack accepts the token, with all scopes, encrypted with SECRETS_KEY.',
    ].toSorted(),
  );
  expect(healthy).toBe(false);
  expect(said).not.toContain('xoxb');
});

test('what the previous key encrypted is named until it is encrypted anew', async () => {
  const { installation, variables } = await installApp({ Acme: {}, Old: { sealedWith: otherKey } });
  await using _ = installation;
  const { said, healthy } = await report({ ...variables, SECRETS_KEY_PREVIOUS: otherKey });
  expect(said).toContain(
    '– Slack installations: the tokens of Old are still encrypted with SECRETS_KEY_PREVIOUS. Start',
  );
  expect(healthy).toBe(true);
});

test('a scope that a workspace has not granted is a fault', async () => {
  const { installation, variables } = await installApp({ Acme: {} });
  await using _ = installation;
  const { slack } = installation.sandbox;
  installation.updateManifest(({ oauth_config: oauth }) => {
    oauth?.scopes?.bot?.splice(oauth.scopes.bot.indexOf('files:write'), 1);
  });
  slack.install(slack.manifest());
  expect((await report(variables)).said).toContain(
    '✗ Slack installations: Acme: files:write is not granted. Have the app installed again there',
  );
});

test('an app that nobody has installed says where to', async () => {
  const { installation, variables } = await installApp({});
  await using _ = installation;
  const { said, healthy } = await report(variables);
  expect(said).toContain(
    'nobody has installed the app yet. Start Causeway, and open /slack/install.',
  );
  expect(healthy).toBe(true);
});
