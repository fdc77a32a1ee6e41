import { expect, test } from 'vitest';
import { createManagers } from '../../../src/bridge/conversation/managers.ts';
import type { Author } from '../../../src/bridge/conversation/platform.ts';
import type { WorkspaceSettings } from '../../../src/bridge/conversation/settings.ts';
import { fakeAddress } from '../../fixtures/fake-thread.ts';
import { silentLog } from '../../fixtures/log.ts';

const bert: Author = { id: 'U2', name: 'Bert', isManager: false };

function create(set: Partial<WorkspaceSettings['managers']> = {}, named: string[] = []) {
  const managers = { people: [], groups: [], ...set };
  const of = async () => ({ managers, contacts: { people: [] } });
  return createManagers({ named, settings: { of }, log: silentLog });
}

test.each([
  ['the platform', { ...bert, isManager: true }, create()],
  ['the environment', bert, create({}, ['U2'])],
  ['a group in the environment', { ...bert, groups: ['S1'] }, create({}, ['S1'])],
  ['a command', bert, create({ people: ['U2'] })],
  ['a group in a command', { ...bert, groups: ['S9', 'S1'] }, create({ groups: ['S1'] })],
])('who is named by %s manages', async (_, person, managers) => {
  expect(await managers.isManager(fakeAddress, person)).toBe(true);
});

test('nobody else does', async () => {
  const managers = create({ people: ['U3'], groups: ['S1'] }, ['U4']);
  expect(await managers.isManager(fakeAddress, bert)).toBe(false);
  expect(await managers.isManager(fakeAddress, { ...bert, groups: ['S2'] })).toBe(false);
});

test('while the settings can’t be read, only managers of the platform and the environment manage', async () => {
  const of = async () => Promise.reject(new Error('The store is down.'));
  const managers = createManagers({ named: ['U3'], settings: { of }, log: silentLog });
  expect(await managers.isManager(fakeAddress, bert)).toBe(false);
  expect(await managers.isManager(fakeAddress, { ...bert, id: 'U3' })).toBe(true);
  expect(await managers.isManager(fakeAddress, { ...bert, isManager: true })).toBe(true);
});

test('a person is recognized with everything else about them', async () => {
  const managers = create({ people: ['U2'] });
  expect(await managers.recognize(fakeAddress, bert)).toEqual({ ...bert, isManager: true });
});
