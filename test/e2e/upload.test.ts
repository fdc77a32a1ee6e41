import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { createApp } from '../../src/app/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { discordUpload, slackUpload } from '../bench/upload/people.ts';
import { copyFirstStart } from '../fixtures/first-start.ts';
import { silentLog } from '../fixtures/log.ts';
import { createTemporaryFolder } from '../fixtures/temporary-folder.ts';
import { quickly } from './seats.ts';

/** More than a Slack modal accepts. */
const fileBytes = 12 * 1024 * 1024;

const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** The hashes of the large files that the built-in service keeps. */
function largeFiles(folder: string): string[] {
  using database = new DatabaseSync(join(folder, 'service.sqlite'), { readOnly: true });
  const parts = database.prepare('SELECT source, data FROM source_files ORDER BY part').all();
  const files = Object.values(Object.groupBy(parts, ({ source }) => String(source))).map(
    (own = []) => Buffer.concat(own.map(({ data }) => data as Uint8Array)),
  );
  return files.filter(({ length }) => length === fileBytes).map(hashOf);
}

test('a file of 12 MB reaches the service whole from either platform', async () => {
  const folder = createTemporaryFolder();
  await copyFirstStart(folder);
  const config = readConfig({ DATA_DIR: folder, PORT: '0' });
  await using app = await createApp(config, silentLog, quickly);
  const { sandbox } = app;
  if (!sandbox) throw new Error('no sandbox');
  sandbox.discord.raiseUploadLimit(fileBytes);
  const hashes: string[] = [];
  for (const [index, upload] of [slackUpload(sandbox), discordUpload(sandbox)].entries()) {
    // It is not a valid PDF, so that only its transfer takes time.
    const bytes = Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(fileBytes - 9)]);
    hashes.push(hashOf(bytes));
    expect(await upload({ name: `large-${index}.pdf`, bytes })).toContain('PDF');
  }
  expect(largeFiles(folder).toSorted()).toEqual(hashes.toSorted());
});
