import { afterAll, beforeAll, describe } from 'vitest';
import { testErrors } from './service/errors.ts';
import { testOperations } from './service/operations.ts';
import type { ServedClients, StartService } from './service/world.ts';

/** What the client may expect of the service, however they are joined. */
export function describeService(name: string, start: StartService): void {
  describe(name, () => {
    let served: ServedClients | undefined;
    beforeAll(async () => {
      served = await start();
    });
    afterAll(() => served?.[Symbol.asyncDispose]());

    const get = () => {
      if (served === undefined) throw new Error('The service has not started');
      return served;
    };
    testOperations(get);
    testErrors(get, start);
  });
}
