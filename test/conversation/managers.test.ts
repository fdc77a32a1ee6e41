import { expect, test } from 'vitest';
import { createManagers, recognizeManagers } from '../../src/conversation/managers.ts';
import type { Author, Receiver } from '../../src/conversation/ports.ts';
import type { WorkspaceSettings } from '../../src/conversation/settings.ts';
import { createFakeMessage, createFakeThread, fakeAddress } from '../fixtures/fake-thread.ts';
import { silentLog } from '../fixtures/log.ts';

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

test('the core recognizes managers, whatever they do', async () => {
  const seen: boolean[] = [];
  const see = async ({ isManager }: Author) => void seen.push(isManager);
  const core: Receiver = {
    message: ({ author }) => see(author),
    edited: ({ author }) => see(author),
    removed: async () => {},
    stopped: (_, by) => see(by),
    async pressed({ by }) {
      await see(by);
      return 'Done.';
    },
  };
  const receiver = recognizeManagers(core, create({ people: ['U2'] }));
  const message = createFakeMessage(createFakeThread(), 'stop', { author: bert });
  await receiver.message(message);
  await receiver.edited(message);
  await receiver.stopped(fakeAddress, bert);
  const press = { action: 'stop', turn: 'T', by: bert, place: fakeAddress } as const;
  expect(await receiver.pressed(press)).toBe('Done.');
  expect(seen).toEqual([true, true, true, true]);
});
