import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type App, createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { silentLog } from '../fixtures/log.ts';

/** What a command showed: its text, and the labels of its buttons. */
export interface SeenResult {
  id: string;
  text: string;
  buttons: string[];
}

/** Someone at a platform who uses commands. */
export interface CommandSeat {
  /** Uses a command, and resolves with what it shows once that matches. */
  use(words: string, values: Record<string, string>, shows: RegExp): Promise<SeenResult>;
  /** As `use`, with files for the option `file`. */
  upload(
    words: string,
    files: { name: string; bytes: Buffer }[],
    shows: RegExp,
  ): Promise<SeenResult>;
  press(result: SeenResult, label: string, shows: RegExp): Promise<SeenResult>;
  /** Resolves once the bot has sent a file of this name to where this person sees it. */
  file(name: string): Promise<void>;
}

/** What the commands do on every platform, through its unmodified library and the sandbox. */
export function testCommands(
  platform: string,
  seats: (sandbox: Sandbox) => { manager: CommandSeat; member: CommandSeat },
): void {
  describe(`commands on ${platform}`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'causeway-'));
    let app: App;
    let manager: CommandSeat;
    let member: CommandSeat;

    beforeAll(async () => {
      app = await createApp(readConfig({ DATA_DIR: folder, PORT: '0' }), silentLog);
      if (!app.sandbox) throw new Error('no sandbox');
      ({ manager, member } = seats(app.sandbox));
    }, 30_000);
    afterAll(async () => {
      await app[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    });

    test('several files become sources, a line each', async () => {
      const files = ['one', 'two'].map((name) => ({
        name: `${name}.md`,
        bytes: Buffer.from(`# Page ${name}\n\nText of page ${name}.\n`),
      }));
      const shown = await manager.upload('source upload', files, /2 of 2 ready/);
      expect(shown.text).toMatch(/Page one.+ready[\s\S]+Page two.+ready/);
    });

    test('a list is seen by its requester, with a button that shares it', async () => {
      const listed = await member.use('source list', { filter: 'page' }, /2 of \d+ sources/);
      expect(listed.buttons).toEqual(['Share in channel']);
      const shared = await member.press(listed, 'Share in channel', /Shared by/);
      expect(shared.text).toContain('Page one');
    });

    test('what only managers may do is refused to others, and says who may', async () => {
      await member.use('tag create', { name: 'Mine', color: 'red' }, /^Only managers can do that/);
    });

    test('a tag is made, changed, and deleted after a question', async () => {
      await manager.use('tag create', { name: 'Pages', color: 'teal' }, /Created: .*Pages/);
      await manager.use('source tag', { sources: 'one.md', tag: 'pages' }, /holds 1 source/);
      await manager.use(
        'tag update',
        { tag: 'Pages', color: '#abc', name: 'Pages' },
        /Saved: .*Pages/,
      );
      const asked = await manager.use('tag delete', { tag: 'Pages' }, /Delete the tag/);
      expect(asked.buttons).toEqual(['Delete', 'Cancel']);
      const done = await manager.press(asked, 'Delete', /was deleted/);
      expect(done.buttons).toEqual([]);
    });

    test('numbers, choices and yes or no come through', async () => {
      const values = { name: 'Other', visibility: 'hybrid', messages: '7', citations: 'false' };
      const made = await manager.use('chatbot create', values, /was created/);
      expect(made.text).toContain('Visibility: hybrid');
      expect(made.text).toContain('7 messages in 240 seconds');
      expect(made.text).toContain('Shows sources: no');
    });

    test('a chatbot is chosen for the channel, and given up when it is deleted', async () => {
      await manager.use('chatbot use', { chatbot: 'Other' }, /answers in this channel/);
      await member.use('source list', {}, /no sources yet/);
      const asked = await manager.use('chatbot delete', { chatbot: 'Other' }, /for good\?/);
      await manager.press(asked, 'Delete', /was deleted/);
      await member.use('source list', { filter: 'page' }, /2 of \d+ sources/);
    });

    test('an agent is enabled and disabled by its name', async () => {
      await manager.use('agent create', { name: 'Second', type: 'user-facing' }, /is disabled/);
      await manager.use('agent enable', { agent: 'second' }, /Saved: .*Second.*enabled/);
      await manager.use('agent disable', { agent: 'Second' }, /Saved: .*Second.*disabled/);
    });

    test('a name that is none comes with a reason', async () => {
      await member.use('source show', { source: 'nothing' }, /There is no source called/);
    });

    test('sessions are listed by day, and exported as a file', async () => {
      await manager.use('ask', { question: 'What is on page one?' }, /answering in the thread/);
      const listed = await manager.use(
        'session list',
        { from: '2020-01-01' },
        /[1-9]\d* sessions?/,
      );
      const session = /`?(\w{32})`?/.exec(listed.text)?.[1] ?? '';
      await manager.use('session export', { session, format: 'json' }, /file/);
      expect(session).not.toBe('');
      await manager.file(`session-${session}.json`);
    });

    test('help tells what one may do', async () => {
      const shown = await member.use('help', {}, /Mention me/);
      expect(shown.text).toContain('/source list');
      expect(shown.text).not.toContain('/source delete');
    });
  });
}
