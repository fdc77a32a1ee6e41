import { slackbotId, type SlackChannel, type SlackUser } from '../../slack/model.ts';
import type { SlackWorkspace } from '../../slack/slack-workspace.ts';
import { builtInCommands } from '../../slack/slash-commands.ts';
import type { Directory } from '../platform-control.ts';
import type { Person, Place, PlatformOverview, ShownCommand } from '../shown.ts';
import { toMilliseconds } from './shown-messages.ts';

/** The people and channels of the workspace. */
export function createDirectory(slack: SlackWorkspace): Directory {
  return {
    people() {
      const people = slack
        .users()
        .filter(({ id, isBot, team }) => !isBot && !team && id !== slackbotId);
      return people.map(toPerson);
    },
    channels: () => slack.channels().map((channel) => toPlace(channel, slack)),
    direct: (user) => toPlace(slack.direct(user), slack),
  };
}

/** A channel; a direct message with the bot shows its name. */
export function toPlace(channel: SlackChannel, slack: SlackWorkspace): Place {
  const { id, name, kind, members: people } = channel;
  const hasBot = people.includes(slack.bot.user);
  const botAnswers = hasBot && slack.installation() !== undefined;
  if (kind === 'im' && hasBot) {
    return { id, name: findBot(slack).realName, kind: 'direct', people, botAnswers };
  }
  if (kind === 'im' || kind === 'mpim') {
    const names = slack.users().filter((user) => people.includes(user.id) && !user.isBot);
    const shown = names.map(({ realName }) => realName.split(' ')[0]).join(', ');
    return { id, name: shown, kind: 'group', people, botAnswers };
  }
  return { id, name, kind: 'channel', isPrivate: kind === 'group', people, botAnswers };
}

/** The whole workspace. Slack lists no threads. */
export function renderOverview(slack: SlackWorkspace, directory: Directory): PlatformOverview {
  return {
    people: directory.people(),
    bot: toPerson(findBot(slack)),
    connections: slack.connections(),
    channels: directory.channels().map((channel) => {
      const message = slack.latest(channel.id);
      return { ...channel, latest: message && toMilliseconds(message) };
    }),
    threads: [],
    commands: listCommands(slack),
    shortcuts: slack.shortcuts().map(({ name, callbackId: id }) => ({ id, name })),
  };
}

/** The app's commands and Slack's own, with their hints. People type what follows without help. */
function listCommands(slack: SlackWorkspace): ShownCommand[] {
  return [...slack.commands(), ...builtInCommands].map(({ command, description, usageHint }) => ({
    name: command.slice(1),
    description: [usageHint, description].filter(Boolean).join(' · '),
    fields: [],
  }));
}

function findBot(slack: SlackWorkspace): SlackUser {
  const bot = slack.users().find(({ id }) => id === slack.bot.user);
  if (!bot) throw new TypeError('The workspace has no bot.');
  return bot;
}

function toPerson({ id, name, realName, isAdmin }: SlackUser): Person {
  return { id, name, displayName: realName, role: isAdmin ? 'Admin' : undefined };
}
