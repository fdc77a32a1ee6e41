import { ChannelType } from 'discord.js';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { plainText } from '../../../src/sandbox/slack/plain-text.ts';

export type PlatformName = 'slack' | 'discord';

/** A message of the bot's, as people see it in a thread. */
export interface Shown {
  thread: string;
  message: string;
  text: string;
}

/** The people of a platform's sandbox: they ask and watch. */
export interface People {
  /** Mentions the bot, in a channel or an open thread; resolves with the thread of the reply. */
  ask(query: string, place?: string): Promise<string>;
  /** Opens a channel of its own; by default people share two. */
  openChannel?(name: string): string;
  /** Opens a thread, where the bot would have to open one to reply in. */
  openThread?(): Promise<string>;
  /** Told whenever a message of the bot's comes, changes or goes, until the returned function is called. */
  watch(listener: (shown: Shown) => void): () => void;
  faults: Sandbox['slack']['faults'];
  /** The call that edits a message, as faults name it. */
  editing: string;
}

/** They take turns in two channels, so that a burst of posts in each is within Slack's limit. */
export function slackPeople({ slack }: Sandbox): People {
  const ada = slack.users().find(({ name }) => name === 'ada')?.id ?? '';
  const channels = slack
    .channels()
    .filter(({ name }) => name === 'general' || name === 'help')
    .map(({ id }) => id);
  let asked = 0;
  return {
    async ask(query, place) {
      const channel = place ?? channels[asked++ % channels.length] ?? '';
      const text = `<@${slack.bot.user}> ${query}`;
      return (await slack.say({ user: ada, channel, text })).ts;
    },
    openChannel(name) {
      return slack.openChannel({ kind: 'channel', name, members: [ada, slack.bot.user] }).id;
    },
    watch(listener) {
      return slack.changes.subscribe((change) => {
        const isSeen = change.kind === 'removed' || change.kind === 'message';
        if (!isSeen || !change.thread || !change.message.bot_id) return;
        if (change.kind === 'message' && change.event === 'replied') return;
        const { message, thread } = change;
        const text = change.kind === 'removed' ? '' : plainText(message);
        listener({ thread, message: message.ts, text });
      });
    },
    faults: slack.faults,
    editing: 'chat.update',
  };
}

export function discordPeople({ discord, fetch }: Sandbox): People {
  // A thousand threads and those of the warm-up are more than a server allows.
  discord.rules.maxActiveThreads = Number.POSITIVE_INFINITY;
  const bot = discord.users().find((user) => user.bot)?.id ?? '';
  const general = discord.channels().find(({ name }) => name === 'general')?.id ?? '';
  const { apiUrl, token } = discord.credentials;
  const say = (channel: string, content: string) => discord.say({ user: 'ada', channel, content });
  return {
    async ask(query, thread) {
      const said = await say(thread ?? '#general', `<@${bot}> ${query}`);
      return thread ?? said.id;
    },
    async openThread() {
      const request = new Request(`${apiUrl}/v10/channels/${general}/threads`, {
        method: 'POST',
        headers: { authorization: `Bot ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'Something to talk about', type: ChannelType.PublicThread }),
      });
      // Without sockets: a thousand connections at once may time out.
      const response = await fetch(request);
      if (!response.ok) throw new Error(`No thread was opened: ${await response.text()}`);
      return ((await response.json()) as { id: string }).id;
    },
    watch(listener) {
      return discord.changes.subscribe((change) => {
        if (change.kind !== 'message' || change.message.author.id !== bot) return;
        const { id, channel, content } = change.message;
        const text = change.event === 'removed' ? '' : content;
        listener({ thread: channel, message: id, text });
      });
    },
    faults: discord.faults,
    editing: 'PATCH /channels/:channel/messages/:message',
  };
}
