import { randomBytes } from 'node:crypto';
import type { Installation } from '@slack/oauth';
import { expect, test } from 'vitest';
import { createInstallations, identityIn } from '../../../src/bridge/slack/installations.ts';
import type { InstallationRecord } from '../../../src/bridge/slack/installations.ts';
import { createSeal } from '../../../src/shared/primitives/seal.ts';
import { createMemoryLog } from '../../fixtures/memory-log.ts';
import { createMemoryStore } from '../../fixtures/memory-store.ts';

const key = randomBytes(32);

function create(
  values = new Map<string, InstallationRecord>(),
  seal: ReturnType<typeof createSeal> = createSeal(key),
) {
  const store = createMemoryStore(values);
  const log = createMemoryLog();
  return { values, log, installations: createInstallations({ store, seal, log }) };
}

function installationOf(team: string, token = `xoxb-${team}`): Installation {
  return {
    team: { id: team, name: `Team ${team}` },
    enterprise: undefined,
    user: { token: undefined, scopes: undefined, id: 'U1' },
    bot: { token, scopes: ['chat:write'], id: `B${team}`, userId: `UBOT${team}` },
    isEnterpriseInstall: false,
    authVersion: 'v2',
  };
}

function orgOf(enterprise: string): Installation {
  return {
    ...installationOf('T0', `xoxb-${enterprise}`),
    team: undefined,
    enterprise: { id: enterprise, name: 'Org' },
    isEnterpriseInstall: true,
  };
}

test('an installation is kept without its token in the clear, and found again at the next start', async () => {
  const first = create();
  await first.installations.onInstall.storeInstallation(installationOf('T1'));
  expect(JSON.stringify([...first.values])).not.toContain('xoxb');
  const { installations } = create(first.values);
  await installations.load();
  const kept = installations.serving('T1');
  expect(kept).toMatchObject({ key: 'T:T1', team: { id: 'T1', name: 'Team T1' } });
  expect(kept && installations.open(kept).bot?.token).toBe('xoxb-T1');
  expect(kept && identityIn('T1', kept)).toEqual({
    teamId: 'T1',
    botId: 'BT1',
    userId: 'UBOTT1',
    isAgent: false,
  });
  expect(installations.serving('T2')).toBeUndefined();
});

test('the row of one workspace does not open as that of another', async () => {
  const { values, installations } = create();
  await installations.onInstall.storeInstallation(installationOf('T1'));
  await installations.onInstall.storeInstallation(installationOf('T2'));
  const { sealed = '' } = values.get('T:T1') ?? {};
  const other = values.get('T:T2');
  if (other) values.set('T:T2', { ...other, sealed });
  const { installations: swapped, log } = create(values);
  await swapped.load();
  expect(swapped.get('T:T2')).toMatchObject({ refused: 'secrets_key' });
  expect(log.lines.filter(({ level }) => level === 'error')).toHaveLength(1);
});

test('after a change of the key, all rows are encrypted with the new one', async () => {
  const { values, installations } = create();
  await installations.onInstall.storeInstallation(installationOf('T1'));
  const next = randomBytes(32);
  await create(values, createSeal(next, key)).installations.load();
  const { installations: later } = create(values, createSeal(next));
  await later.load();
  const kept = later.serving('T1');
  expect(kept && later.open(kept).bot?.token).toBe('xoxb-T1');
});

test('with another key, the workspace is known, and its token can’t be read', async () => {
  const { values, installations } = create();
  await installations.onInstall.storeInstallation(installationOf('T1'));
  const { installations: other, log } = create(values, createSeal(randomBytes(32)));
  await other.load();
  expect(other.serving('T1')).toMatchObject({ refused: 'secrets_key' });
  expect(String(Object(log.lines[0]?.fields).err)).toContain('another SECRETS_KEY');
});

test('an organisation serves its workspaces, except those with an installation of their own', async () => {
  const { installations } = create();
  await installations.onInstall.storeInstallation(orgOf('E1'));
  await installations.onInstall.storeInstallation(installationOf('T1'));
  expect(installations.serving('T2')).toBeUndefined();
  expect(installations.serving('T2', 'E1')).toMatchObject({ key: 'E:E1' });
  expect(installations.serving('T1', 'E1')).toMatchObject({ key: 'T:T1' });
  await installations.change('E:E1', (record) => ({ ...record, teams: ['T2'] }));
  expect(installations.serving('T2')).toMatchObject({ key: 'E:E1' });
});

test('a removed installation answers no more, until it is installed again', async () => {
  const { installations } = create();
  await installations.onInstall.storeInstallation(installationOf('T1'));
  await installations.change('T:T1', (record) => ({ ...record, removedAt: 1, refused: 'revoked' }));
  expect(installations.serving('T1')).toBeUndefined();
  expect(installations.ofBot('UBOTT1')).toBeUndefined();
  expect(installations.last('T1')).toMatchObject({ key: 'T:T1', removedAt: 1 });
  await installations.onInstall.storeInstallation(installationOf('T1', 'xoxb-new'));
  expect(installations.serving('T1')).toMatchObject({ key: 'T:T1' });
  expect(installations.serving('T1')).not.toHaveProperty('refused');
});

test('an installation without a bot is refused', async () => {
  const { values, installations } = create();
  const { bot: _, ...person } = installationOf('T1');
  await expect(installations.onInstall.storeInstallation(person)).rejects.toThrow('for a bot');
  expect(values.size).toBe(0);
});
