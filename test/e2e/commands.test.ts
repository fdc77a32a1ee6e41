import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type App, createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import type { GivenOption } from '../../src/sandbox/discord/application-commands/invocation.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { plainText } from '../../src/sandbox/slack/plain-text.ts';
import { silentLog } from '../fixtures/log.ts';

const bytes = new TextEncoder().encode(
  '# Opening hours\n\nThe library in Quarry Lane opens at nine and closes at seven.\n',
);

describe('commands, on the sandbox and the built-in service', () => {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-'));
  let app: App;
  let sandbox: Sandbox;

  beforeAll(async () => {
    app = await createApp(readConfig({ DATA_DIR: folder, PORT: '0' }), silentLog);
    if (!app.sandbox) throw new Error('no sandbox');
    sandbox = app.sandbox;
  }, 30_000);
  afterAll(async () => {
    await app[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  describe('on Slack', () => {
    const place = () => {
      const { slack } = sandbox;
      const user = slack.users().find((each) => each.name === 'ada')?.id ?? '';
      const channel = slack.channels().find((each) => each.name === 'general')?.id ?? '';
      return { slack, user, channel };
    };

    /** What the bot shows in the channel, and to the person alone, once something of it matches. */
    async function shown(expected: RegExp): Promise<string> {
      const { slack, user, channel } = place();
      const look = () =>
        [...slack.messages(channel), ...slack.ephemerals(user, channel)]
          .map((message) => plainText(message))
          .find((text) => expected.test(text));
      if (!look()) await slack.waitFor(() => look() !== undefined);
      return look() ?? '';
    }

    it('takes in a file from a form, and tells when it is ready', async () => {
      const { slack, user, channel } = place();
      await slack.command({ user, channel, command: '/source', text: 'upload' });
      if (slack.modals(user).length === 0) {
        await slack.waitFor((change) => change.kind === 'modal');
      }
      const [view] = slack.modals(user);
      const files = { file: [{ name: 'hours.md', bytes }] };
      expect((await slack.submit({ user, view: view?.id ?? '', files })).outcome).toBe('closed');
      await shown(/✅.*Opening hours/);
      await slack.command({ user, channel, command: '/source', text: 'list' });
      await shown(/sources[^]*Opening hours/);
    });

    it('says why an address can’t be taken in', async () => {
      const { slack, user, channel } = place();
      await slack.command({ user, channel, command: '/source', text: 'url http://127.0.0.1/' });
      await shown(/❌.*127\.0\.0\.1/);
    });

    it('answers a question that is asked by command in a thread', async () => {
      const { slack, user, channel } = place();
      await slack.command({ user, channel, command: '/ask', text: 'When does the library open?' });
      await shown(/When does the library open\?/);
      const asked = () =>
        slack.messages(channel).find((message) => plainText(message).includes('library open'));
      const answered = () => {
        const root = asked();
        const texts = root ? slack.messages(channel, root.ts).map(plainText) : [];
        return texts.some((text) => /opens at nine[^]*Sources:/.test(text));
      };
      if (!answered()) await slack.waitFor(answered);
    });
  });

  describe('on Discord', () => {
    const channelId = () =>
      sandbox.discord.channels().find((each) => each.name === 'general')?.id ?? '';

    async function shown(expected: RegExp, channels = () => [channelId()]): Promise<string> {
      const { discord } = sandbox;
      const look = () =>
        channels()
          .flatMap((channel) => discord.messages(channel))
          .map((message) => message.content)
          .find((text) => expected.test(text));
      if (!look()) await discord.changes.waitFor(() => look() !== undefined);
      return look() ?? '';
    }

    const use = (name: string, action: string | undefined, given: GivenOption[]) =>
      sandbox.discord.command({
        user: 'ada',
        channel: '#general',
        name,
        options: action ? [{ name: action, options: given }] : given,
      });

    it('takes in an attachment, and tells when it is ready', async () => {
      const other = new TextEncoder().encode('# Lost property\n\nAsk at the desk by the stairs.\n');
      const file = { name: 'lost.md', bytes: other };
      await use('source', 'upload', [{ name: 'file', file }]);
      await shown(/✅.*Lost property/);
      await use('source', 'list', []);
      await shown(/sources[^]*Lost property/);
    });

    it('says why an address can’t be taken in', async () => {
      await use('source', 'url', [{ name: 'url', value: 'http://[::1]/' }]);
      await shown(/❌.*::1/);
    });

    it('answers a question that is asked by command in a thread', async () => {
      const { discord } = sandbox;
      await use('ask', undefined, [{ name: 'question', value: 'Where is lost property?' }]);
      const threads = () => discord.threads(channelId()).map((thread) => thread.id);
      await shown(/desk by the stairs[^]*Sources:/, threads);
    });
  });
});
