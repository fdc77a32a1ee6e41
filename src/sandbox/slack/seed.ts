import type { Records } from '../records.ts';
import { newDigits, newId, newSecret } from './identifiers.ts';
import {
  slackbotId,
  type SlackApp,
  type SlackChannel,
  type SlackTeam,
  type SlackUser,
  type SlackUserGroup,
} from './workspace.ts';

interface Workspace {
  team: SlackTeam;
  app: SlackApp;
}

/** Creates the workspace if the records are empty; otherwise returns the existing one. */
export function seedWorkspace(records: Records, now: () => number): Workspace {
  const founded = records.get<Workspace>('slack.workspace', 'workspace');
  if (founded) return founded;

  const created = Math.floor(now() / 1000);
  const users = newUsers();
  const bot = newUser('causeway', 'Causeway', { isBot: true });
  const slackbot = { ...newUser('slackbot', 'Slackbot'), id: slackbotId };
  for (const user of [...users, bot, slackbot]) records.put('slack.user', user.id, user);

  const people = users.map((user) => user.id);
  const support = { id: newId('S'), handle: 'support', users: people.slice(2) };
  records.put('slack.usergroup', support.id, support satisfies SlackUserGroup);
  const channels: SlackChannel[] = [
    { id: newId('C'), name: 'general', kind: 'channel', members: [...people, bot.id], created },
    { id: newId('C'), name: 'help', kind: 'channel', members: [...people, bot.id], created },
    { id: newId('C'), name: 'random', kind: 'channel', members: people, created },
  ];
  for (const id of people) {
    channels.push({ id: newId('D'), name: '', kind: 'im', members: [id, bot.id], created });
  }
  const all = [...people, bot.id];
  const group = `mpdm-${[...users, bot].map(({ name }) => name).join('--')}-1`;
  channels.push(
    { id: newId('C'), name: 'leads', kind: 'group', members: all, created },
    { id: newId('C'), name: group, kind: 'mpim', members: all, created },
  );
  for (const channel of channels) records.put('slack.channel', channel.id, channel);

  const workspace = {
    team: { id: newId('T'), name: 'Causeway Sandbox', domain: 'causeway-sandbox' },
    app: newApp(bot.id),
  };
  records.put('slack.workspace', 'workspace', workspace);
  return workspace;
}

function newUsers(): SlackUser[] {
  return [
    newUser('ada', 'Ada Lovelace', { isAdmin: true, timezone: 'Europe/London', locale: 'en-GB' }),
    newUser('grace', 'Grace Hopper', { timezone: 'America/New_York' }),
    newUser('linus', 'Linus Torvalds', { timezone: 'Europe/Helsinki', locale: 'fi-FI' }),
  ];
}

function newUser(name: string, realName: string, rest: Partial<SlackUser> = {}): SlackUser {
  const plain = { isBot: false, isAdmin: false, timezone: 'Etc/UTC', locale: 'en-US' };
  return { id: newId('U'), name, realName, ...plain, ...rest };
}

function newApp(botUser: string): SlackApp {
  const id = newId('A');
  return {
    id,
    botId: newId('B'),
    botUser,
    botToken: `xoxb-${newDigits(12)}-${newDigits(13)}-${newSecret(12)}`,
    appToken: `xapp-1-${id}-${newDigits(13)}-${newSecret(32)}`,
    signingSecret: newSecret(16),
    verificationToken: newSecret(12),
  };
}
