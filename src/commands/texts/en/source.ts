import { count } from './count.ts';

export const source = {
  ready: (name: string, tokens: string, size: string) =>
    `${name} is ready: ${tokens} tokens, ${size}`,
  failed: (name: string, reason: string, retry: string) =>
    `${name} could not be taken in: ${reason}. Mend that and use ${retry}, or delete it.`,
  states: { ready: 'ready', failed: 'failed' },
  stages: {
    waiting: 'waiting its turn',
    downloading: 'downloading',
    reading: 'reading',
    cutting: 'cutting into passages',
    indexing: 'indexing',
    finishing: 'finishing',
  },
  noStorage: 'the storage of your plan is used up',
  noTokens: 'the tokens of your plan are used up',
  statusSays: (status: string) => `the service says “${status}”`,
  takesLong: (list: string) =>
    `This takes long: I’ll tell you when it’s done, and ${list} shows how it stands.`,
  takesTooLong: (list: string) => `This still isn’t done after hours. ${list} shows how it stands.`,
  goesOn: (list: string) => `The service goes on with it; ${list} shows how it stands.`,
  notTold:
    'This service doesn’t tell how a source comes along. The chatbot answers from it once it’s ready, usually within minutes.',
  byWordsAlone:
    'found by its words alone, since the service for meanings (embeddings) can’t be reached',
  fileTooLarge: (size: string, most: string) =>
    `This file has ${size}, and ${most} are allowed (UPLOAD_MAX_MB). Make it smaller or split it, or ask whoever runs this bot for more.`,
  fileRefused: (size: string, refused: string) =>
    `This file has ${size}, and the chatbot service refused one of ${refused} as too large just now. Make it smaller or split it.`,
  readyOf: (ready: number, all: number) => `${ready} of ${all} ready`,
  adding: (who: string, name: string) => `${who} is adding ${name} …`,
  deletedMeanwhile: (name: string) => `${name} was deleted before it was ready.`,
  duplicate: 'it was a source already',
  tooManyUrls: (given: number, most: number) =>
    `That is ${given} addresses; at most ${most} can be taken at once.`,
  noAddress:
    'This is not a web address. Give one that starts with https://, such as https://example.com/handbook.',
  none: (upload: string, url: string) =>
    `The chatbot has no sources yet. Add one with ${upload} or ${url}.`,
  count: (shown: number, all: number) =>
    shown === all
      ? count(all, 'source', 'sources')
      : `${shown} of ${count(all, 'source', 'sources')}`,
  noneFailed: 'None of these sources has failed.',
  noPage: 'this is not a web page',
  tagged: (names: string, tag: string, all: number) =>
    `${names} → **${tag}**, which holds ${count(all, 'source', 'sources')} now.`,
  untagged: (names: string, tag: string, all: number) =>
    `${names} taken out of **${tag}**, which holds ${count(all, 'source', 'sources')} now.`,
  amount: (tokens: string, size: string) => `${tokens} tokens, ${size}`,
  deleteAsk: (number: number) =>
    number === 1 ? 'Delete this source for good?' : `Delete these ${number} sources for good?`,
  deleteUsage: (tags: readonly string[], agents: readonly string[]) =>
    [
      tags.length > 0 ? `Taken out of the tags ${tags.join(', ')}.` : '',
      agents.length > 0 ? `No longer seen by the agents ${agents.join(', ')}.` : '',
      'The chatbot will no longer answer from it.',
    ]
      .filter(Boolean)
      .join(' '),
  deleteLabel: (number: number) => (number === 1 ? 'Delete' : `Delete ${number} sources`),
};
