import type { ReferenceKind } from '../option.ts';
import { kinds } from './en/kinds.ts';
import { agent } from './en/agent.ts';
import { chatbot } from './en/chatbot.ts';
import { descriptions } from './en/descriptions.ts';
import { failures } from './en/failures.ts';
import { forms } from './en/forms.ts';
import { choices, labels, limits } from './en/labels.ts';
import { places } from './en/places.ts';
import { problems } from './en/problems.ts';
import { session } from './en/session.ts';
import { source } from './en/source.ts';
import { tag } from './en/tag.ts';

/** All that commands say, in one language: what English has, every other must have as well. */
export type Texts = typeof english;

export const english = {
  descriptions,

  asked: 'I’m answering in the thread below your question.',
  unknownCommand: (help: string) => `I don’t know that command. ${help} lists those I know.`,
  managersOnly: (named: string) =>
    `Only managers can do that: admins and owners in Slack, people who may manage the server in Discord, and ${named || 'those whom a manager or whoever runs this bot has named'}.`,
  forgotten: 'This button is too old. Please use the command again.',
  share: 'Share in channel',
  sharedBy: (name: string) => `*Shared by ${name}*`,
  showAll: 'Show all',
  useAgain: 'Please use the command again.',
  keep: 'Cancel',
  kept: 'Nothing was deleted.',
  deleteLabel: 'Delete',
  deleted: (name: string) => `${name} was deleted.`,
  deletedElsewhere: (kind: ReferenceKind, name: string) =>
    `The ${kinds[kind]} **${name}** was deleted elsewhere.`,
  renamed: (before: string, after: string) => `**${before}** is now called **${after}**.`,
  updated: (name: string) => `Saved: ${name}`,
  nothingChanged: 'Nothing to change: give at least one value that is different.',
  yesOrNo: (value: boolean): string => (value ? 'yes' : 'no'),

  pages: {
    which: (page: number, pages: number) => `page ${page} of ${pages}`,
    previous: 'Previous',
    next: 'Next',
  },

  whichOne: {
    several: (kind: ReferenceKind, name: string) =>
      `There is more than one ${kinds[kind]} called “${name}”. Which one?`,
    guess: (kind: ReferenceKind, name: string) =>
      `There is no ${kinds[kind]} called “${name}”. Did you mean one of these?`,
  },

  problems,
  failures,
  forms,
  labels,
  choices,
  limits,
  places,
  fields: {
    note: 'Note',
    status: 'Status',
    type: 'Type',
    file: 'File or address',
    link: 'Link',
    tokens: 'Tokens',
    size: 'Size',
    tags: 'Tags',
    agents: 'Agents',
    sources: 'Sources',
    created: 'Created',
    modified: 'Changed',
    uuid: 'Id',
    description: 'Description',
    temperature: 'Temperature',
    variables: 'Variables',
    handoverMessage: 'Said when someone asks for a person',
    handoverStart: 'Said when a person takes over',
    handoverEnd: 'Said when the person leaves',
    monitored: 'Messages that ask for a person',
    notifications: 'Notifications',
    sound: 'Sound',
    visibility: 'Visibility',
    rateLimit: 'Rate limit',
    rateLimitMessage: 'Said beyond it',
    citations: 'Shows sources',
    following: 'In this channel',
    channel: 'Channel',
    people: 'People',
  },

  source,
  tag,
  agent,
  chatbot,
  session,
  help: {
    heading: 'Mention me with a question, and I answer in a thread. Besides, you can use:',
    forManagers: 'You are a manager here, so you can change things.',
    forEveryone: 'Managers can change things as well.',
  },
};
