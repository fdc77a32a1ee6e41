import { chmodSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTemporaryFolder } from '../fixtures/temporary-folder.ts';
import { handbook, startTestService, type TestService } from './fixture.ts';
import { startWebsite } from './website.ts';

/** Each entry of the folder that somebody but its owner may read, with its mode. */
function readableByOthers(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => `${name} ${(statSync(join(folder, name)).mode & 0o777).toString(8)}`)
    .filter((entry) => !/ (?:600|700)$/.test(entry));
}

async function addSources(service: TestService): Promise<void> {
  await using site = await startWebsite();
  const chatbot = await service.createChatbot();
  const path = `/api/v1/chatbot/${chatbot}/data-source`;
  await service.upload(`${path}/upload`, handbook);
  await service.post(`${path}/url`, { url: site.url });
  await service.service.settled();
}

test('only the owner of the process reads databases and files', async () => {
  const dataDir = join(createTemporaryFolder(), 'deep', 'data');
  await using service = await startTestService({ dataDir, allowPrivateAddresses: true });
  await addSources(service);
  expect(statSync(dataDir).mode & 0o777).toBe(0o700);
  expect(readableByOthers(dataDir)).toEqual([]);
});

test('what others could read becomes private, and stays whole', async () => {
  const dataDir = createTemporaryFolder();
  const service = await startTestService({ dataDir });
  const chatbot = await service.createChatbot({ name: 'Keeper' });
  await service[Symbol.asyncDispose]();
  chmodSync(join(dataDir, 'files'), 0o777);
  // After a crash, the log of the database is still there.
  writeFileSync(join(dataDir, 'service.sqlite-wal'), '');
  for (const end of ['', '-wal']) chmodSync(join(dataDir, `service.sqlite${end}`), 0o666);

  await using later = await startTestService({ dataDir });
  expect(readableByOthers(dataDir)).toEqual([]);
  const { json } = await later.get(`/api/v1/chatbot/${chatbot}`);
  expect(json.name).toBe('Keeper');
});
