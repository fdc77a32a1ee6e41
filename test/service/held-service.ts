import { createService } from '../../src/service/service.ts';
import { silentLog } from '../fixtures/log.ts';

/** A service that begins each file and never ends it, for a test that kills it. */
const [url = '', dataDir = ''] = process.argv.slice(2);

await createService({
  dataDir,
  place: { url, schema: 'causeway_service', maxConnections: 6 },
  keys: [],
  log: silentLog,
  extractor: {
    async *passages() {
      yield { title: 'Torn', passages: [torn] };
      process.send?.('begun');
      await Promise.withResolvers<void>().promise;
    },
    extract: () => Promise.reject(new Error('Nothing is read here')),
    [Symbol.asyncDispose]: async () => {},
  },
});

const torn = {
  text: 'The first page of the handbook.',
  headings: [],
  start: 0,
  end: 31,
  tokens: 8,
};
