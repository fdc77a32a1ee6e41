import { count } from './count.ts';

export const chatbot = {
  created: (name: string, use: string) =>
    `${name} was created, with its agent General Q&A. ${use} lets it answer here.`,
  count: (number: number) => count(number, 'chatbot', 'chatbots'),
  answersHere: '💬 answers here',
  madeOrUsedHere: 'made or used here',
  chosenIsGone: (now: string) =>
    `The chatbot that was chosen here was deleted elsewhere. ${now} answers here again.`,
  usualOne: 'The usual one',
  used: {
    channel: (name: string) =>
      `${name} answers in this channel from now on. Threads that have begun stay with theirs.`,
    workspace: (name: string) =>
      `${name} answers in this workspace from now on, except in channels with a chatbot of their own. Threads that have begun stay with theirs.`,
    direct: (name: string, anew: string) =>
      `${name} answers in this direct message from now on. What has begun stays with its chatbot: ${anew} begins anew.`,
    directs: (name: string, anew: string) =>
      `${name} answers in direct messages from now on, except in those with a chatbot of their own. What has begun stays with its chatbot: ${anew} begins anew.`,
  },
  deleteFallback: (name: string) =>
    `${name} answers wherever no other chatbot was chosen, so it can’t be deleted here. Whoever runs this bot can name another (CHATBOT_UUID).`,
  deleteAsk: (
    name: string,
    what: { sources: number; tags: number; agents: number; sessions: number; places: number },
  ) =>
    [
      `Delete the chatbot ${name} for good? With it go ${count(what.sources, 'source', 'sources')}, ${count(what.tags, 'tag', 'tags')}, ${count(what.agents, 'agent', 'agents')} and ${count(what.sessions, 'session', 'sessions')} with their messages.`,
      what.places > 0
        ? `It was chosen for ${count(what.places, 'channel or workspace', 'channels and workspaces')}, where the workspace’s own or else the usual one answers again.`
        : '',
    ]
      .filter(Boolean)
      .join(' '),
  following: {
    mentions: 'I answer when I am mentioned.',
    threads: 'I answer when I am mentioned, and whatever is said in threads that have begun.',
    everything:
      'I answer every message of a person, each in a thread of its own, and whatever is said in those threads.',
  },
  followingDirect:
    'I answer everything that is said in a direct message with me; that can’t be changed.',
  hearing: {
    mentions:
      'But Discord shows me only messages that mention me. Whoever runs this bot can mend that: switch “Message Content Intent” on at https://discord.com/developers/applications under “Bot”, then restart.',
    uninvited:
      'But I am not a member of this channel, so I hear nothing here. Invite me with “/invite” and my name.',
    unseen:
      'But I lack the permission “View Channel” here, so I hear nothing. Whoever manages the server can grant it to me in the channel’s settings under “Permissions”.',
  },
  noWorkspace:
    'A direct message belongs to no server. Use this command in a channel of the server that it is meant for.',
  followed: 'From now on in this channel',
  managersHere: 'Who manages here',
  platformManagers:
    'Admins and owners of the workspace in Slack, people who may manage the server in Discord: always',
  namedBy: {
    environment: 'named by whoever runs this bot (MANAGERS)',
    command: 'named here',
  },
  managersSaved: 'Saved.',
  managersSame: 'That changes nothing.',
  tooManyManagers: (most: number) =>
    `At most ${most} people and groups can be named here. Name a group instead of its people.`,
  auditIn: (channel: string) => `Changes are told in ${channel}.`,
  auditNowhere: 'Changes are told in no channel; the log of this bot has them all.',
  auditBegins: 'Changes are told here from now on.',
  auditEnds: (who: string) => `Changes are no longer told here: ${who} has chosen otherwise.`,
  notWritable: (channel: string) => `I can’t write in ${channel}, so nothing was changed.`,
  notified: 'Who is told when someone asks for a person',
  nobodyNotified:
    'Nobody is told when someone asks for a person. Name a channel or people who should be.',
  notifyBegins: 'When someone asks for a person, it is told here from now on.',
  tooManyContacts: (most: number) => `At most ${most} people can be told.`,
  rate: (messages: number, seconds: number) =>
    `${count(messages, 'message', 'messages')} in ${count(seconds, 'second', 'seconds')}`,
};
