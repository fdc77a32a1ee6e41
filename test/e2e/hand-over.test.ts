import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type App, createApp } from '../../src/app/app.ts';
import {
  type ChatbotClient,
  createChatbotClient,
} from '../../src/bridge/chatbot/chatbot-client.ts';
import { readConfig } from '../../src/config/config.ts';
import {
  type ChannelSettings,
  createSettings,
  type WorkspaceSettings,
} from '../../src/bridge/conversation/settings.ts';
import { createChanges } from '../../src/sandbox/changes.ts';
import { openStore } from '../../src/bridge/stores/open-store.ts';
import { copyFirstStart } from '../fixtures/first-start.ts';
import { type Crowd, discordCrowd, slackCrowd } from './crowd.ts';
import { quickly } from './seats.ts';

const apiKey = 'a-key-for-the-hand-over-tests';

/** The errors in the log, as they are logged. */
const errors = createChanges<{ message: string; fields: object }>();
const nothing = () => undefined;
const log = {
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: (fields: object, message: string) => errors.announce({ fields, message }),
};

describe('hand-over, on the sandbox and the built-in service', () => {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-'));
  const config = readConfig({ DATA_DIR: folder, PORT: '0', SERVICE_API_KEYS: apiKey });
  const crowds: Record<string, Crowd> = {};
  let app: App;
  let client: ChatbotClient;
  let chatbot: string;

  async function start() {
    app = await createApp(config, log, quickly);
    client = createChatbotClient({ baseUrl: app.origin, apiKey });
    if (!app.sandbox) throw new Error('no sandbox');
    crowds['Slack'] = slackCrowd(app.sandbox);
    crowds['Discord'] = discordCrowd(app.sandbox);
  }

  async function stop() {
    await client[Symbol.asyncDispose]();
    await app[Symbol.asyncDispose]();
  }

  const someone = ({ help, grace }: Crowd) => ({ channel: help, people: [grace] });
  const nobody = ({ closed }: Crowd) => ({ channel: closed, people: [] });

  /** As managers do with a command. */
  async function nameContacts(contacts: (crowd: Crowd) => WorkspaceSettings['contacts']) {
    await using store = await openStore(config.storeUrl);
    const settings = createSettings({
      workspaces: store.keyv<WorkspaceSettings>('workspace-settings'),
      channels: store.keyv<Partial<ChannelSettings>>('channel-settings'),
      now: Date.now,
    });
    for (const crowd of Object.values(crowds)) {
      await settings.change(crowd.workspace, (before) => ({
        ...before,
        contacts: contacts(crowd),
      }));
    }
  }

  beforeAll(async () => {
    await copyFirstStart(folder);
    await start();
    chatbot = (await client.listChatbots())[0]?.uuid ?? '';
    const [agent] = await client.listAgents(chatbot);
    await client.updateAgent(agent?.uuid ?? '', {
      human_escalation_settings: {
        human_requested_message: 'Somebody will be here soon.',
        live_chat_start_announcement: 'Now you talk to a person.',
        live_chat_end_announcement: 'Now you talk to the bot.',
        monitored_messages: ['talk to a person'],
        notifications_enabled: true,
      },
    });
    await nameContacts(someone);
  });
  afterAll(async () => {
    await stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** The stored queries of the session that has a query with this text. */
  async function queriesWith(text: string): Promise<string[]> {
    const sessions = await client.listSessions(chatbot);
    const all = await Promise.all(sessions.map(({ uuid }) => client.listMessages(uuid)));
    const found = all.find((messages) => messages.some(({ query }) => query.includes(text)));
    return (found ?? []).map(({ query }) => query);
  }

  function crowdOn(platform: string): Crowd {
    const found = crowds[platform];
    if (!found) throw new Error('not started');
    return found;
  }

  describe.each(['Slack', 'Discord'])('on %s', (platform) => {
    it('passes from the bot to a person and back, and the bot knows what was said', async () => {
      const { mention, say, shown, press, notice, linkTo, grace } = crowdOn(platform);
      const thread = await mention('linus', 'I want to TALK to a person, now!');
      const asked = await shown(thread, /^Somebody will be here soon\.$/);
      expect(asked.buttons).toEqual(['Let the bot answer again']);
      const told = await notice(
        /linus.* is asking for a person[^]*I want to TALK to a person, now!/i,
      );
      expect(told.calls).toEqual([grace]);
      expect(told.text).toContain(linkTo(thread));

      await say('linus', thread, 'My order is late.');
      await say('linus', thread, 'It is number 7.');
      await say('grace', thread, `It comes on Monday, by ${platform}.`);
      await shown(thread, /^Now you talk to a person\.$/);
      await press('linus', thread, asked.id, 'Let the bot answer again');
      await shown(thread, /^Now you talk to the bot\.$/);

      await say('linus', thread, `How do I add a source, on ${platform}?`);
      await shown(thread, /Sources: /);
      const order =
        /linus.*: My order is late\.\nlinus.*: It is number 7\.\ngrace.*: It comes on Monday/i;
      expect(await queriesWith(`by ${platform}`)).toEqual([expect.stringMatching(order)]);
    });

    it('is offered below an answer, and ended by a command in the thread', async () => {
      const { mention, say, shown, press, resume } = crowdOn(platform);
      const thread = await mention('linus', `How do I connect ${platform}?`);
      const answer = await shown(thread, /Sources: /);
      expect(answer.buttons).toContain('Talk to a person');
      await press('linus', thread, answer.id, 'Talk to a person');
      await shown(thread, /^Somebody will be here soon\.$/);
      await say('linus', thread, 'Is anybody there?');
      await resume('linus', thread);
      await shown(thread, /^Now you talk to the bot\.$/);
    });
  });

  it('keeps answering in a direct message on Discord, from which nobody can be reached', async () => {
    const { say, shown } = crowdOn('Discord');
    const linus = app.sandbox?.discord.users().find(({ username }) => username === 'linus');
    const direct = app.sandbox?.discord.directChannel(linus?.id ?? '').id ?? '';
    await say('linus', direct, 'Let me talk to a person.');
    await shown(direct, /^I can’t reach people from this direct message\./);
    await say('linus', direct, 'How do I add a source?');
    const answer = await shown(direct, /Sources: /);
    expect(answer.buttons).not.toContain('Talk to a person');
  });

  it('pauses if nobody can be told, and says so in the thread and the log', async () => {
    const restartWith = async (contacts: typeof someone) => {
      await stop();
      await nameContacts(contacts);
      await start();
    };
    await restartWith(nobody);
    onTestFinished(() => restartWith(someone));
    for (const { mention, say, shown, workspace } of Object.values(crowds)) {
      const logged = errors.waitFor(({ message }) => message.startsWith('nobody was notified'));
      const thread = await mention('linus', 'talk to a person');
      await shown(thread, /^Somebody will be here soon\.$/);
      expect((await logged).fields).toMatchObject({ thread: workspace });
      await shown(thread, /^I couldn’t tell anyone/);
      await say('grace', thread, 'I came all the same.');
      await shown(thread, /^Now you talk to a person\.$/);
    }
  });
});
