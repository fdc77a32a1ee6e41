import type { SlackWorkspace } from '../../slack/slack-workspace.ts';
import { slackbotId, type SlackChannel, type SlackUser } from '../../slack/workspace.ts';
import type { Directory } from '../reach.ts';
import type { Person, Place, PlatformOverview } from '../shown.ts';

/** The people and channels of the workspace. */
export function createDirectory(slack: SlackWorkspace): Directory {
  const nameOf = (id: string) => slack.users().find((user) => user.id === id)?.name ?? id;
  const toPlace = ({ id, name, kind, members: people }: SlackChannel): Place => {
    const withBot = people.includes(slack.bot.user);
    if (kind === 'im' && withBot)
      return { id, name: findBot(slack).realName, kind: 'direct', people };
    return { id, name: name || people.map(nameOf).join(', '), kind: 'channel', people };
  };
  return {
    people() {
      const people = slack.users().filter(({ id, isBot }) => !isBot && id !== slackbotId);
      return people.map(toPerson);
    },
    channels: () => slack.channels().map(toPlace),
    direct: (user) => toPlace(slack.direct(user)),
  };
}

/** The whole workspace. Slack lists no threads, and commands with their usage hints. */
export function renderOverview(slack: SlackWorkspace, directory: Directory): PlatformOverview {
  return {
    people: directory.people(),
    bot: toPerson(findBot(slack)),
    connections: slack.connections(),
    channels: directory.channels(),
    threads: [],
    commands: slack.commands().map(({ command, description, usageHint }) => ({
      name: command.slice(1),
      description: [usageHint, description].filter(Boolean).join(' · '),
      fields: [],
    })),
    shortcuts: slack.shortcuts().map(({ name, callbackId: id }) => ({ id, name })),
  };
}

function findBot(slack: SlackWorkspace): SlackUser {
  const bot = slack.users().find(({ id }) => id === slack.bot.user);
  if (!bot) throw new TypeError('The workspace has no bot.');
  return bot;
}

function toPerson({ id, name, realName }: SlackUser): Person {
  return { id, name, displayName: realName };
}
