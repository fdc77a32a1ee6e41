import { afterAll, beforeAll, describe } from 'vitest';
import { testErrors } from './service/errors.ts';
import { testOperations } from './service/operations.ts';
import { testRefusals } from './service/refusals.ts';
import type { ServedClients, StartService } from './service/world.ts';

/** What the client may expect of the service, however they are joined and whatever it stores in. */
export function describeService(name: string, start: StartService): void {
  describe(name, () => {
    const served = serveAll(start);
    testOperations(served);
    testErrors(served, start);
  });
}

/** What the service refuses before it looks at what is stored. */
export function describeRefusals(name: string, start: StartService): void {
  describe(name, () => {
    testRefusals(serveAll(start), start);
  });
}

/** Starts a service for all tests of a suite. */
function serveAll(start: StartService): () => ServedClients {
  let served: ServedClients | undefined;
  beforeAll(async () => {
    served = await start();
  });
  afterAll(() => served?.[Symbol.asyncDispose]());
  return () => {
    if (served === undefined) throw new Error('The service has not started');
    return served;
  };
}
