import { describe, expect, test } from 'vitest';
import { openStore, type Store } from '../../src/service/store/store.ts';
import { isUsed } from '../../src/shared/stores/postgres-users.ts';
import { databases } from '../fixtures/databases.ts';
import { startTestService } from './fixture.ts';

describe.each(databases)('a start that fails, beside $name', ({ createPlaces }) => {
  test('leaves nothing open', async () => {
    const { service: place } = await createPlaces();
    let opened: Store | undefined;
    const starting = startTestService({
      place,
      async openStore() {
        const store = (opened = await openStore(place));
        const transaction = () => Promise.reject(new Error('The disk is full'));
        return Object.assign(Object.create(store) as Store, { transaction });
      },
    });
    await expect(starting).rejects.toThrow('The disk is full');
    expect(opened?.isOpen).toBe(false);
    const isConnected = typeof place === 'object' && (await isUsed(place.url));
    expect(isConnected).toBe(false);
  });
});
