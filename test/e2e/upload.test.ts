import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, globSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createApp } from '../../src/app/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { discordUpload, slackUpload } from '../bench/upload/people.ts';
import { silentLog } from '../fixtures/log.ts';
import { createTemporaryFolder } from '../fixtures/temporary-folder.ts';
import { quickly } from './seats.ts';

/** More than a Slack modal accepts. */
const fileBytes = 12 * 1024 * 1024;

async function hashOf(parts: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const part of parts) hash.update(part);
  return hash.digest('hex');
}

/** The hashes of the large files that the built-in service keeps. */
function largeFiles(folder: string): Promise<string[]> {
  const files = globSync(join(folder, '**/sources/*')).filter(
    (path) => statSync(path).size === fileBytes,
  );
  return Promise.all(files.map((path) => hashOf(createReadStream(path))));
}

test('a file of 12 MB reaches the service whole from either platform', async () => {
  const folder = createTemporaryFolder();
  const config = readConfig({ DATA_DIR: folder, PORT: '0' });
  await using app = await createApp(config, silentLog, quickly);
  const { sandbox } = app;
  if (!sandbox) throw new Error('no sandbox');
  sandbox.discord.raiseUploadLimit(fileBytes);
  const hashes: string[] = [];
  for (const [index, upload] of [slackUpload(sandbox), discordUpload(sandbox)].entries()) {
    // It is not a valid PDF, so that only its transfer takes time.
    const bytes = Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(fileBytes - 9)]);
    hashes.push(await hashOf([bytes]));
    expect(await upload({ name: `large-${index}.pdf`, bytes })).toContain('PDF');
  }
  expect((await largeFiles(folder)).toSorted()).toEqual(hashes.toSorted());
});
