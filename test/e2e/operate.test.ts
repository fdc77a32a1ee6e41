import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { createApp } from '../../src/app/app.ts';
import { createBackup } from '../../src/app/backup.ts';
import { restoreBackup } from '../../src/app/restore.ts';
import { readConfig } from '../../src/config/config.ts';
import { copyFirstStart } from '../fixtures/first-start.ts';
import { silentLog } from '../fixtures/log.ts';
import { createTemporaryFolder } from '../fixtures/temporary-folder.ts';
import { quickly, slackSeat } from './seats.ts';

async function start(env: Record<string, string>) {
  const app = await createApp(readConfig({ PORT: '0', ...env }), silentLog, quickly);
  if (!app.sandbox) throw new Error('no sandbox');
  return { app, seat: slackSeat(app.sandbox) };
}

const sourcesListed = /^Sources: /m;
const oldMs = 100 * 24 * 60 * 60 * 1000;

it('a thread of a restored backup continues in a new session if retention has deleted its own', async () => {
  const folder = createTemporaryFolder();
  const env = { DATA_DIR: join(folder, 'data') };
  mkdirSync(env.DATA_DIR);
  await copyFirstStart(env.DATA_DIR);
  const backup = join(folder, 'backup');
  let thread = '';
  {
    const { app, seat } = await start(env);
    await using _ = app;
    thread = await seat.mention('How do I add a source?');
    await seat.replies(thread, 1, sourcesListed);
    await createBackup(readConfig(env), backup);
  }

  const elsewhere = { DATA_DIR: join(folder, 'elsewhere') };
  await restoreBackup(readConfig(elsewhere), backup, { replace: false });
  {
    using database = new DatabaseSync(join(elsewhere.DATA_DIR, 'service.sqlite'));
    database.prepare('UPDATE sessions SET modified_ms = modified_ms - ?').run(oldMs);
  }
  const { app, seat } = await start({ ...elsewhere, RETENTION_DAYS: '90' });
  await using _ = app;
  await seat.say(thread, 'How do I add a source?');
  const [, last] = await seat.replies(thread, 2, /no longer has/);
  expect(last?.text).toMatch(sourcesListed);
  using database = new DatabaseSync(join(elsewhere.DATA_DIR, 'service.sqlite'));
  expect(database.prepare('SELECT count(*) AS count FROM messages').get()).toEqual({ count: 1 });
}, 60_000);

it.each([
  { answerMissed: false, says: /waited too long/ },
  { answerMissed: true, says: sourcesListed },
])(
  'what was open in a backup is asked after a restore: $answerMissed',
  async ({ answerMissed, says }) => {
    const folder = createTemporaryFolder();
    const env = { DATA_DIR: join(folder, 'data') };
    mkdirSync(env.DATA_DIR);
    const backup = join(folder, 'backup');
    let thread = '';
    {
      const { app, seat } = await start(env);
      await using _ = app;
      thread = await seat.mention('How do I add a source?');
      await seat.replies(thread, 1, sourcesListed);
    }
    {
      using database = new DatabaseSync(join(env.DATA_DIR, 'causeway.sqlite'));
      // As the row was before the question was asked.
      const open = `UPDATE inbox SET state = 'accepted', due_at = 0, expires = NULL, value =
        json_set(value, '$.state', 'accepted', '$.dueAt', 0, '$.posted', json('[]'), '$.attempt', 1)`;
      expect(database.prepare(open).run().changes).toBe(1);
    }
    await createBackup(readConfig(env), backup);
    const elsewhere = { DATA_DIR: join(folder, 'elsewhere') };
    await restoreBackup(readConfig(elsewhere), backup, { replace: false, answerMissed });
    const { app, seat } = await start(elsewhere);
    await using _ = app;
    const [, last] = await seat.replies(thread, 2, says);
    expect(last?.text).toMatch(says);
  },
  60_000,
);
