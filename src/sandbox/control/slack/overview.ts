import type { SlackWorkspace } from '../../slack/slack-workspace.ts';
import type { SlackUser } from '../../slack/workspace.ts';
import type { Person, PlatformOverview } from '../shown.ts';
import { listPeople } from './reach.ts';

/** The people and channels of the workspace. Slack lists neither threads nor commands. */
export function renderOverview(slack: SlackWorkspace): PlatformOverview {
  const bot = slack.users().find(({ id }) => id === slack.bot.user);
  if (!bot) throw new TypeError('The workspace has no bot.');
  return {
    people: listPeople(slack).map(toPerson),
    bot: toPerson(bot),
    connections: slack.connections(),
    channels: slack.channels().map(({ id, name, kind, members: people }) => {
      if (kind === 'im') return { id, name: bot.realName, kind: 'direct', people };
      return { id, name, kind, people };
    }),
    threads: [],
    commands: [],
    shortcuts: slack.shortcuts().map(({ name, callbackId: id }) => ({ id, name })),
  };
}

function toPerson({ id, name, realName }: SlackUser): Person {
  return { id, name, displayName: realName };
}
