import { count } from '../count.ts';

export const chatbot = {
  created: (name: string, use: string) =>
    `${name} was created, with its agent General Q&A. ${use} lets it answer here.`,
  count: (number: number) => count(number, 'chatbot', 'chatbots'),
  answersHere: '💬 answers here',
  used: {
    channel: (name: string) =>
      `${name} answers in this channel from now on. Threads that have begun stay with theirs.`,
    workspace: (name: string) =>
      `${name} answers in this workspace from now on, except in channels with a chatbot of their own. Threads that have begun stay with theirs.`,
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
        ? `It was chosen for ${count(what.places, 'channel or workspace', 'channels and workspaces')}, where the usual one answers again.`
        : '',
    ]
      .filter(Boolean)
      .join(' '),
  rate: (messages: number, seconds: number) =>
    `${count(messages, 'message', 'messages')} in ${count(seconds, 'second', 'seconds')}`,
};
