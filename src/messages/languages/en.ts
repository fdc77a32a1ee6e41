import { createFormats } from '../formats.ts';

const { and, count, or, plural, size } = createFormats('en-GB');

/** What an option can refer to. */
const kinds = {
  source: 'source',
  tag: 'tag',
  agent: 'agent',
  chatbot: 'chatbot',
  session: 'session',
};

type Kind = keyof typeof kinds;

/** What commands and their options do, at most 100 characters each: Discord's limit. */
const descriptions = {
  page: 'Page to show',
  color: 'A colour such as #1f2937, or a name such as teal',

  ask: 'Ask the chatbot a question; it answers in a thread',
  'ask question': 'What you want to know',

  source: 'What the chatbot knows: add, list, rename and delete sources',
  'source upload': 'Add files to what the chatbot knows',
  'source upload shortcut': 'Add files as sources',
  'source url': 'Add web pages to what the chatbot knows',
  'source qa': 'Teach the chatbot the answer to a question',
  'source list': 'List the sources',
  'source show': 'Show the details of a source',
  'source rename': 'Rename a source',
  'source delete': 'Delete sources',
  'source refresh': 'Fetch web pages again',
  'source retry': 'Retry failed sources',
  'source tag': 'Tag sources, or remove a tag from them',
  'source file': 'Text, Markdown, HTML, PDF, Word, Excel, CSV or other documents',
  'source link': 'Link for citations of it, starting with https://',
  'source urls': 'Up to 20 addresses starting with https://, separated by spaces',
  'source question': 'The question',
  'source answer': 'The answer',
  'source filter': 'Only sources with this text in their name',
  'source status': 'Only sources with this status',
  'source list tag': 'Only sources with this tag',
  'source name': 'Name of the source',
  'source names': 'Names of the sources, separated by commas',
  'source retry names':
    'Names of failed sources, separated by commas; leave empty to retry them all',
  'source title': 'New title of the source',
  'source tag tag': 'Name of the tag',
  'source tag remove': 'Remove the tag from these sources',

  tag: 'Group sources with tags',
  'tag create': 'Create a tag',
  'tag list': 'List the tags',
  'tag show': 'Show the details of a tag',
  'tag update': 'Change a tag',
  'tag delete': 'Delete a tag but keep its sources',
  'tag name': 'Name of the tag',
  'tag new name': 'Name for the tag',
  'tag sources': 'Names of the sources to tag, separated by commas',
  'tag update sources':
    'Names of all sources with this tag, separated by commas; replaces the current ones',

  agent: 'Agents write the chatbot’s answers, each with its own prompt, model and sources',
  'agent list': 'List the agents',
  'agent show': 'Show the details of an agent',
  'agent create': 'Create an agent; it starts disabled',
  'agent update': 'Change an agent',
  'agent enable': 'Let an agent answer',
  'agent disable': 'Stop an agent from answering',
  'agent delete': 'Delete an agent',
  'agent sources': 'Choose which sources an agent can use',
  'agent name': 'Name of the agent',
  'agent new name': 'Name for the agent',
  'agent type': 'Type of agent',
  'agent description': 'What the agent is for; “none” clears it',
  'agent prompt': 'Instructions for the agent’s answers',
  'agent model': 'Language model, as the chatbot service names it',
  'agent temperature': 'From 0 for steady answers to 1 for varied ones',
  'agent all-sources': 'Whether the agent can use all sources',
  'agent variables':
    'name | string, number or boolean | description | example | default; “none” clears them',
  'agent tags': 'name | #colour | criteria; put ; between several tags; “none” clears them',
  'agent handover-message': 'Message shown when someone asks for a person',
  'agent handover-start': 'Message shown when a person takes over',
  'agent handover-end': 'Message shown when the person leaves',
  'agent monitored': 'Messages that ask for a person, separated by ; “none” clears them',
  'agent notifications': 'Whether to notify people when someone asks for a person',
  'agent sound': 'Whether notifications play a sound',
  'agent sources sources': 'Names of the sources the agent can use, separated by commas',

  chatbot: 'Manage chatbots and choose where each one answers',
  'chatbot create': 'Create a chatbot',
  'chatbot list': 'List the chatbots',
  'chatbot show': 'Show the details of a chatbot',
  'chatbot update': 'Change a chatbot',
  'chatbot use': 'Choose the chatbot that answers here',
  'chatbot follow': 'Choose which messages are answered in this channel',
  'chatbot managers': 'Show, add or remove managers',
  'chatbot audit': 'Choose the channel where changes are announced',
  'chatbot share': 'Share a chatbot with another workspace, or enter a code you were given',
  'chatbot share chatbot': 'Chatbot to share',
  'chatbot share code': 'Code from a manager of another workspace',
  'chatbot share end': 'Take the chatbot back from all workspaces',
  'chatbot server': 'Choose the server whose chatbot answers in this direct message',
  'chatbot server server': 'Name or id of the server',
  'chatbot guests': 'Choose whether guests and people from other workspaces may ask',
  'chatbot guests allowed': 'Whether they may ask in channels',
  'chatbot notify': 'Choose who is notified when someone asks for a person',
  'chatbot delete': 'Delete a chatbot and everything that belongs to it',
  'chatbot name': 'Name of the chatbot',
  'chatbot name or here': 'Name of the chatbot; leave empty for the one that answers here',
  'chatbot new name': 'Name for the chatbot',
  'chatbot visibility': 'Who can see its page: its owner, everyone, or only sites that embed it',
  'chatbot messages': 'Rate limit: maximum number of messages',
  'chatbot seconds': 'Rate limit: time window in seconds',
  'chatbot message': 'Message shown when the rate limit is exceeded',
  'chatbot citations': 'Whether answers show their sources',
  'chatbot where': 'In this channel only, or in the whole workspace',
  'chatbot how': 'Mentions only; mentions and replies in threads; or every message',
  'chatbot manager person': 'Person to add as a manager',
  'chatbot manager group': 'Group whose members become managers',
  'chatbot manager remove': 'Remove this person or group instead of adding them',
  'chatbot audit channel': 'The channel; leave empty to see the current one',
  'chatbot audit off': 'Stop announcing changes',
  'chatbot notify channel': 'Channel to notify',
  'chatbot notify person': 'Person to mention',
  'chatbot notify remove': 'Stop notifying this channel or person',

  session: 'Chat sessions: the questions and answers in threads',
  'session new': 'Start a new session: in this thread, or with a question in a new one',
  'session list': 'List the sessions',
  'session show': 'Show the messages of a session',
  'session export': 'Export the messages of a session as a file',
  'session stop': 'Stop the current answer',
  'session retry': 'Ask the last question again',
  'session resume': 'Let the bot answer again after a hand-over',
  'session delete': 'Delete a session and its messages',
  'session forget': 'Also delete the current session and its messages',
  'session question': 'Question to ask in a new thread',
  'session from': 'Started on or after this day, such as 2026-09-12 or today',
  'session to': 'Started on or before this day, such as 2026-09-12 or today',
  'session name or here': 'Id of the session; leave empty for this thread’s',
  'session format': 'Markdown for reading, or JSON with everything',

  help: 'Show what you can do here',
  'help command': 'Command to explain',
};

/** The labels of options in forms, where they differ from the name. */
const labels: Record<string, string> = {
  'all-sources': 'All sources',
  'handover-message': 'When someone asks for a person',
  'handover-start': 'When a person takes over',
  'handover-end': 'When the person leaves',
  monitored: 'Messages that ask for a person',
};

/** The labels of choices, where they differ from the value. */
const choices: Record<string, string> = {};

/** The limits of a value, shown after its description. */
const limits = {
  range: (min: number, max: number) => `${min} to ${max}`,
  files: (bytes: number) => `up to ${size(bytes)} per file`,
  characters: (max: number) => `up to ${max} characters`,
};

const invalid = {
  noOption: (name: string) => `There is no option “${name}” here.`,
  missing: (name: string, description: string) => `**${name}** is missing: ${description}.`,
  needed: 'This field is required.',
  noText: 'Enter some text.',
  noFile: 'Choose a file.',
  tooManyFiles: (given: number, max: number) =>
    `That’s ${given} files; the limit is ${max} at a time.`,
  tooLong: (length: number, max: number) => `This has ${length} characters; the limit is ${max}.`,
  noNumber: (min: number, max: number, whole: boolean) =>
    `Enter a ${whole ? 'whole number' : 'number'} from ${min} to ${max}.`,
  noBoolean: 'Answer yes or no.',
  noChoice: (choices: readonly string[]) => `Choose ${or(choices)}.`,
  noColor: (names: readonly string[]) => `Enter a colour such as #1f2937, or ${or(names)}.`,
  noChannel: 'Choose a channel: type # and pick it from the list.',
  noPerson: 'Choose a person I can see here: type @ and pick them from the list.',
  noGroup:
    'Choose a group I can see: a user group in Slack, a role other than @everyone in Discord.',
  noDate: 'Enter a day such as 2026-09-12, today or yesterday.',
  unknownName: (kind: Kind, name: string) => `There is no ${kinds[kind]} called “${name}” here.`,
};

const notSetUp =
  'I’m not set up yet: the chatbot service doesn’t accept my settings. The people who run this bot have been told.';

const failures = {
  unauthorized: () => notSetUp,
  misconfigured: () => notSetUp,
  no_chatbot: () => 'No chatbot belongs to this workspace, so I can’t answer here.',
  not_found: () =>
    'The chatbot service no longer knows what I asked for. It may have been deleted there.',
  invalid: (message: string) => `The chatbot service didn’t accept that: ${message}`,
  too_large: (message: string) => `This is too large for the chatbot service: ${message}`,
  unsupported_type: (message: string) =>
    `The chatbot service doesn’t accept this kind of file: ${message}`,
  conflict: () => 'The chatbot already has that.',
  rate_limited: (_: string, seconds: number) =>
    seconds > 0
      ? `The chatbot service is getting too many requests. Please try again in ${count(seconds, { one: 'second', other: 'seconds' })}.`
      : 'The chatbot service is getting too many requests. Please try again in a moment.',
  unavailable: () => 'I can’t reach the chatbot service right now. Please try again in a moment.',
  timeout: () => 'The chatbot service took too long to answer. Please try again.',
  time_limit: () =>
    'The answer took longer than is allowed here, so I ended it. Please try again, or ask for less at once.',
  interrupted: () => 'The answer broke off. Please ask again.',
  protocol: () =>
    'The chatbot service sent a response I can’t read. Please try again; if it keeps happening, tell the people who run this bot.',
  aborted: () => 'This was stopped before it finished.',
  other:
    'Something went wrong on my side. Please try again; if it keeps happening, the people who run this bot can find the reason in its log.',
  later:
    'Something went wrong on my side. I’ll keep trying for some minutes. If no answer comes, please ask again; the people who run this bot can find the reason in its log.',
};

const forms = {
  send: 'Send',
  cancel: 'Cancel',
  outdated: 'This form is out of date. Please use the command again.',
  notOpened: (reason: string) => `The form didn’t open. Please use the command again. (${reason})`,
  more: 'More fields',
  notAll: 'Discord’s forms have room for five fields. The others are here:',
  noFiles: 'This message has no files.',
  tooManyFiles: (given: number, max: number) =>
    `This message has ${given} files; the limit is ${max} at a time.`,
};

/** The text around results and questions. */
const places = {
  asks: (name: string) => `${name} asks`,
  notThere: 'I can’t write in the channel where you used the command, so I’m answering you here.',
  filesSent: 'I’ve sent you the file in a direct message.',
  sentDirectly: (command: string) =>
    `I’m answering you in a direct message, because others can read this channel. ${command} shows the answer right here, only to you.`,
  useSlash: (command: string) =>
    `I can’t send you a direct message, and others can read this channel. Use ${command}: it shows the answer right here, only to you.`,
  cut: '… the rest doesn’t fit into one message.',
};

const source = {
  ready: (name: string, tokens: string, size: string) =>
    `${name} is ready: ${tokens} tokens, ${size}`,
  failed: (name: string, reason: string, retry: string) =>
    `${name} could not be added: ${reason}. Fix that and use ${retry}, or delete it.`,
  refreshFailed: (name: string, since: string, reason: string, retry: string) =>
    `${name} still works with its text of ${since}. The last refresh failed: ${reason}. Use ${retry} to try again.`,
  worksSince: (since: string, reason: string) =>
    `works with its text of ${since}; the last refresh failed: ${reason}`,
  worksMeanwhile: (since: string) => `(works with its text of ${since} until then)`,
  states: { ready: 'ready', failed: 'failed' },
  stages: {
    waiting: 'waiting its turn',
    downloading: 'downloading',
    reading: 'reading',
    cutting: 'splitting into passages',
    indexing: 'indexing',
    finishing: 'finishing',
  },
  noStorage: 'your plan’s storage is used up',
  noTokens: 'your plan’s tokens are used up',
  canAsk: 'Ask about it, for example:',
  statusSays: (status: string) => `the service says “${status}”`,
  takesLong: (list: string) =>
    `This is taking a while. I’ll tell you when it’s done, and ${list} shows the progress.`,
  takesTooLong: (list: string) =>
    `This still isn’t done after several hours. ${list} shows the progress.`,
  goesOn: (list: string) => `The service is still working on it. ${list} shows the progress.`,
  notTold:
    'This service doesn’t report progress. The chatbot answers from it once it’s ready, usually within minutes.',
  passagesOf: (some: number, all: number) =>
    `${some} of ${count(all, { one: 'passage', other: 'passages' })}`,
  refusedPassages: (passages: number) =>
    `The embeddings server refused ${count(passages, { one: 'passage', other: 'passages' })}, which search finds by its words alone.`,
  fileTooLarge: (size: string, max: string) =>
    `This file is ${size}; the limit is ${max} (UPLOAD_MAX_MB). Make it smaller, split it, or ask the people who run this bot to raise the limit.`,
  fileRefused: (size: string, refused: string) =>
    `This file is ${size}, and the chatbot service just refused one of ${refused} as too large. Make it smaller or split it.`,
  readyOf: (ready: number, all: number) => `${ready} of ${all} ready`,
  adding: (who: string, name: string) => `${who} is adding ${name} …`,
  deletedMeanwhile: (name: string) => `${name} was deleted before it was ready.`,
  duplicate: 'already a source',
  tooManyUrls: (given: number, max: number) =>
    `That’s ${given} addresses; the limit is ${max} at a time.`,
  noAddress:
    'This isn’t a web address. Enter one that starts with https://, such as https://example.com/handbook.',
  none: (upload: string, url: string) =>
    `The chatbot has no sources yet. Add one with ${upload} or ${url}.`,
  count: (shown: number, all: number) =>
    shown === all
      ? count(all, { one: 'source', other: 'sources' })
      : `${shown} of ${count(all, { one: 'source', other: 'sources' })}`,
  noneFailed: 'None of these sources has failed.',
  noPage: 'this isn’t a web page',
  tagged: (names: string, tag: string, all: number) =>
    `${names} → **${tag}**, which now has ${count(all, { one: 'source', other: 'sources' })}.`,
  untagged: (names: string, tag: string, all: number) =>
    `${names} removed from **${tag}**, which now has ${count(all, { one: 'source', other: 'sources' })}.`,
  amount: (tokens: string, size: string) => `${tokens} tokens, ${size}`,
  deleteAsk: (number: number) =>
    number === 1 ? 'Delete this source for good?' : `Delete these ${number} sources for good?`,
  deleteUsage: (tags: readonly string[], agents: readonly string[]) =>
    [
      tags.length > 0 ? `Tagged with ${tags.join(', ')}.` : '',
      agents.length > 0 ? `Used by ${agents.join(', ')}.` : '',
      'The chatbot will no longer answer from this.',
    ]
      .filter(Boolean)
      .join(' '),
  deleteLabel: (number: number) => (number === 1 ? 'Delete' : `Delete ${number} sources`),
};

const tag = {
  created: (line: string) => `Created: ${line}`,
  none: (create: string) => `There are no tags yet. Create one with ${create}.`,
  count: (number: number) => count(number, { one: 'tag', other: 'tags' }),
  sources: (number: number) => count(number, { one: 'source', other: 'sources' }),
  deleteAsk: (name: string, sources: number) =>
    `Delete the tag **${name}** for good? ${sources === 1 ? 'Its source stays.' : `Its ${sources} sources stay.`}`,
};

const agent = {
  enabled: 'enabled',
  disabled: 'disabled',
  allSources: 'all',
  noSources: 'none',
  count: (number: number) => count(number, { one: 'agent', other: 'agents' }),
  created: (name: string, enable: string) =>
    `${name} was created and is disabled. ${enable} lets it answer.`,
  deleteAsk: (name: string, isLast: boolean) =>
    `Delete the agent ${name} with its prompt and settings for good?${isLast ? ' It’s the last one that answers people: without it, the chatbot won’t answer.' : ''} The sources stay.`,
  sourcesOrAll: 'Name the sources the agent can use, or let it use all of them.',
  wrongTag: (piece: string) =>
    `“${piece}” isn’t a tag. Write \`name | #1f2937 | criteria\`; put each tag on its own line, or ; between them.`,
  wrongVariable: (piece: string) =>
    `“${piece}” isn’t a variable. Write \`name | string | description | example | default\`; put each variable on its own line, or ; between them. The type is string, number or boolean.`,
};

const chatbot = {
  created: (name: string, use: string) =>
    `${name} was created with its agent General Q&A. ${use} lets it answer here.`,
  count: (number: number) => count(number, { one: 'chatbot', other: 'chatbots' }),
  answersHere: '💬 answers here',
  chosenIsGone: (now: string) =>
    `The chatbot chosen here was deleted elsewhere. ${now} answers here again.`,
  usualOne: 'The default chatbot',
  used: {
    channel: (name: string) =>
      `${name} now answers in this channel. Existing threads keep their chatbot.`,
    workspace: (name: string) =>
      `${name} now answers in this workspace, except in channels with a chatbot of their own. Existing threads keep their chatbot.`,
    direct: (name: string, anew: string) =>
      `${name} now answers in this direct message. The current session keeps its chatbot: ${anew} starts a new one.`,
  },
  guests: {
    on: 'Guests, and people from other workspaces in shared channels, may ask me in channels. They can’t do anything else.',
    off: 'I don’t answer guests, or people from other workspaces in shared channels.',
  },
  homeOnly:
    'The chatbots here were shared with this workspace. To have its own, it must be one of those in WORKSPACES: ask the people who run this bot.',
  shareWhat: (share: string) =>
    `Name the chatbot to share, or enter a code that you were given: ${share} with the option “chatbot” or “code”.`,
  shareCode: (name: string, code: string) =>
    `A manager of the other workspace enters this code there, within a day, with the command “chatbot share”:\n\n${code}\n\nIt works once. Managers there can then use and change ${name}, and see its sources. The option “end” takes it back from all workspaces.`,
  noSuchCode: 'That code doesn’t exist, has expired, or was used before. Ask for a new one.',
  given: (name: string, use: string) =>
    `${name} was shared with this workspace. ${use} lets it answer here.`,
  takenBack: (name: string, places: number) =>
    `${name} is no longer shared. It had been shared with ${count(places, { one: 'workspace', other: 'workspaces' })}.`,
  notYours: (name: string) =>
    `${name} was shared with this workspace. Only managers of the workspace that owns it can do that.`,
  deleteFallback: (name: string) =>
    `${name} answers wherever no other chatbot was chosen, so it can’t be deleted here. The people who run this bot can choose another default (CHATBOT_UUID).`,
  deleteAsk: (
    name: string,
    what: { sources: number; tags: number; agents: number; sessions: number; places: number },
  ) =>
    [
      `Delete the chatbot ${name} for good? This also deletes ${count(what.sources, { one: 'source', other: 'sources' })}, ${count(what.tags, { one: 'tag', other: 'tags' })}, ${count(what.agents, { one: 'agent', other: 'agents' })} and ${count(what.sessions, { one: 'session', other: 'sessions' })} with all messages.`,
      what.places > 0
        ? `It was chosen for ${count(what.places, { one: 'channel or workspace', other: 'channels and workspaces' })}, where the workspace’s chatbot or the default one will answer again.`
        : '',
    ]
      .filter(Boolean)
      .join(' '),
  following: {
    mentions: 'I answer when I’m mentioned.',
    threads:
      'I answer when I’m mentioned, and every message in threads where I’ve already answered.',
    everything:
      'I answer every message from a person, each in its own thread, and every message in those threads.',
  },
  followingDirect: 'I answer everything in direct messages; that can’t be changed.',
  hearing: {
    mentions:
      'But Discord only shows me messages that mention me. The people who run this bot can fix that: switch on “Message Content Intent” at https://discord.com/developers/applications under “Bot”, then restart.',
    uninvited:
      'But I’m not a member of this channel, so I can’t see its messages. Invite me with “/invite” and my name.',
    unseen:
      'But I don’t have the permission “View Channel” here, so I can’t see any messages. Whoever manages the server can grant it in the channel’s settings under “Permissions”.',
  },
  noWorkspace:
    'A direct message doesn’t belong to a server. Use this command in a channel of the server you mean.',
  followed: 'In this channel from now on',
  managersHere: 'Who manages here',
  platformManagers:
    'Always: admins and owners of the workspace in Slack, people who may manage the server in Discord',
  namedBy: {
    environment: 'added by the people who run this bot (MANAGERS)',
    command: 'added here',
  },
  managersSaved: 'Saved.',
  managersSame: 'Nothing changed.',
  tooManyManagers: (max: number) =>
    `You can add up to ${max} people and groups here. Add a group instead of its members.`,
  auditIn: (channel: string) => `Changes are announced in ${channel}.`,
  auditNowhere: 'Changes aren’t announced in any channel; this bot’s log has them all.',
  auditBegins: 'Changes will be announced here from now on.',
  auditEnds: (who: string) => `Changes are no longer announced here: ${who} changed that.`,
  notWritable: (channel: string) => `I can’t write in ${channel}, so nothing was changed.`,
  notified: 'Who is notified when someone asks for a person',
  nobodyNotified:
    'Nobody is notified when someone asks for a person. Choose a channel or people to notify.',
  notificationsOff: (agent: string) =>
    `But the notifications of the agent ${agent} are off: nobody is notified until they are on.`,
  notificationsOn: 'Switch notifications on',
  notifyBegins: 'From now on, I’ll post here when someone asks for a person.',
  tooManyContacts: (max: number) => `At most ${max} people can be notified.`,
  rate: (messages: number, seconds: number) =>
    `${count(messages, { one: 'message', other: 'messages' })} in ${count(seconds, { one: 'second', other: 'seconds' })}`,
};

const session = {
  noneHere: (list: string) => `There’s no session here. Choose one by its id: ${list} shows them.`,
  count: (number: number) => count(number, { one: 'session', other: 'sessions' }),
  nothingAsked: 'nothing asked yet',
  inThisChannel: 'in this channel',
  former: 'earlier conversation',
  messages: (number: number) => count(number, { one: 'message', other: 'messages' }),
  exported: (number: number) =>
    number === 1 ? 'Here is the message as a file.' : `Here are ${number} messages as a file.`,
  notOurs: 'This session isn’t in any thread I know.',
  stopped: 'Stopped.',
  retried: 'I’ve answered the last question again, in its thread.',
  resumed: 'I’m answering in that thread again.',
  withPeople: (askedBy: string) => `with people, requested by ${askedBy}`,
  deleteAsk: (session: string, messages: number) =>
    `Delete the session ${session} with its ${count(messages, { one: 'message', other: 'messages' })} for good? The messages in the thread stay; the next one there starts a new session.`,
  askAnew:
    'Every thread is its own session: mention me with a question, or give one here, and I’ll answer in a new thread.',
  started: 'A new session starts here.',
  startedAnew: (list: string) =>
    `A new session starts here, without what was said before. The earlier one is kept for those who could read it here: ${list} shows it. With the option “forget”, it would have been deleted.`,
  title: (session: string) => `Session ${session}`,
};

const slackApps = 'at https://api.slack.com/apps under “OAuth & Permissions”';
const reinstall = `${slackApps}, then reinstall the app.`;
const grant =
  'Whoever manages the server can grant it in the channel’s settings under “Permissions”.';

interface Failure {
  platform: string;
}

const resources = {
  chatbot: { one: 'chatbot', other: 'chatbots' },
  agent: { one: 'agent', other: 'agents' },
  source: { one: 'data source', other: 'data sources' },
  tag: { one: 'source tag', other: 'source tags' },
  session: { one: 'session', other: 'sessions' },
  message: { one: 'message', other: 'messages' },
  document: { one: 'session document', other: 'session documents' },
};

/** What the service's API is about. */
export type Resource = keyof typeof resources;

/** What a field of a request must be; `unit` says what a limit counts. */
export type FieldFault = { field: string } & (
  | { rule: 'unknown' }
  | { rule: 'required' | 'type'; expected: string }
  | { rule: 'choice'; values: readonly string[] }
  | { rule: 'max' | 'min'; limit: number; unit?: 'characters' | 'items' }
  | { rule: 'other'; text: string }
);

const units = {
  characters: { one: 'character', other: 'characters' },
  items: { one: 'item', other: 'items' },
};

function toRequirement(fault: FieldFault): string {
  switch (fault.rule) {
    case 'unknown':
      return 'is not a field here: leave it out';
    case 'required':
      return `is required (${withArticle(fault.expected)})`;
    case 'type':
      return `must be ${withArticle(fault.expected)}`;
    case 'choice':
      return `must be one of ${fault.values.join(', ')}`;
    case 'max':
    case 'min': {
      const { rule, limit, unit } = fault;
      const noun = unit ? ` ${plural(limit, units[unit])}` : '';
      return `must be at ${rule === 'max' ? 'most' : 'least'} ${limit}${noun}`;
    }
    case 'other':
      return fault.text;
  }
}

function withArticle(noun: string): string {
  return /^[aeiou]/.test(noun) ? `an ${noun}` : `a ${noun}`;
}

/** Files that hold no text which can be read. */
const refusedKinds = {
  archive: 'an archive (add the files in it one by one)',
  split_archive: 'an empty or split archive',
  compressed: 'a compressed archive',
  old_office:
    'an old or locked Office document (save it as .docx, .xlsx or .pptx, without a password)',
  image: 'an image',
  sound: 'a sound file',
  video: 'a video',
  program: 'a program',
  database: 'a database',
  binary: 'a binary file',
  sitemap: 'a sitemap (add its pages one by one)',
  unknown: 'of an unknown type (if it holds text, rename it to .txt)',
};

export type RefusedKind = keyof typeof refusedKinds;

/** What a file unpacks to, where that is too much. */
export interface ArchiveExcess {
  unit: 'entries' | 'bytes' | 'times';
  count: number;
}

function toExcess({ unit, count: number }: ArchiveExcess): string {
  switch (unit) {
    case 'entries':
      return `more than ${number} entries`;
    case 'bytes':
      return size(number);
    case 'times':
      return `${number} times its size`;
  }
}

const printAnew = 'Open it and print it as a new PDF, or save it as .docx or .txt, and add that.';

interface Host {
  host: string;
}

/** A page and what its host answered, such as `404 Not Found`. */
interface AnsweredPage {
  address: string;
  status: string;
}

const makeRoom =
  'Delete sources or sessions, or ask whoever runs the service to raise OWNER_MAX_MB.';

/** What went wrong, by the codes that our errors carry. */
const problems = {
  // Any platform
  platform_unreachable: ({ platform }: Failure) =>
    `I couldn’t reach ${platform}. Please try again in a moment.`,
  platform_unavailable: ({ platform, status }: Failure & { status: number }) =>
    `${platform} is having trouble (HTTP ${status}). Please try again in a moment.`,
  platform_busy: ({ platform }: Failure) =>
    `I’m sending too many messages to ${platform}. Please try again in a moment.`,
  platform_refused: ({ platform, reason }: Failure & { reason: string }) =>
    `${platform} refused that (${reason}).`,
  platform_silent: ({ platform }: Failure) => `I can’t send notices on ${platform} right now.`,
  message_gone: 'The message no longer exists.',
  thread_gone: 'The thread no longer exists.',
  channel_gone: 'The channel or thread no longer exists.',
  person_unknown: ({ platform }: Failure) => `${platform} doesn’t know that person.`,
  channel_archived: 'The channel is archived.',
  thread_archived: 'The thread is archived.',
  thread_locked: 'The thread is locked. A moderator can unlock it.',
  answer_expired: 'It’s too late to answer this command.',
  channel_hidden: 'I can’t see this channel. Ask in a channel I’m a member of, or invite me.',

  // Files on platforms
  file_gone: 'This file was deleted.',
  file_unreadable: ({ platform }: Failure) =>
    `I couldn’t read the file from ${platform}. Please try again.`,
  file_refused: ({ platform, status }: Failure & { status: number }) =>
    `${platform} didn’t give me the file (HTTP ${status}).`,
  file_elsewhere: ({ platform, host }: Failure & { host: string }) =>
    `${platform} says this file is at ${host}, and I only read files from ${platform} itself.`,
  file_over_limit: ({ max }: { max: number }) =>
    `This file is larger than ${size(max)}, the limit.`,
  file_not_taken: ({ platform, status }: Failure & { status: number }) =>
    `${platform} didn’t accept the file (HTTP ${status}).`,
  file_too_large: ({ platform }: Failure) => `The file is too large for ${platform}.`,

  // Slack
  slack_channel_hidden: 'Slack doesn’t show me this channel. Invite me with “/invite” and my name.',
  slack_not_in_channel: 'I’m not a member of this channel. Invite me with “/invite” and my name.',
  slack_file_hidden:
    'Slack doesn’t show me the file. It was deleted, or shared where I’m not a member.',
  slack_file_external: 'This file isn’t stored in Slack. Download it and upload the copy.',
  slack_file_over_storage: 'Slack hides this file because the workspace is over its storage limit.',
  slack_file_nowhere: 'Slack doesn’t say where this file is.',
  slack_file_redirects: 'Slack redirected me too often for this file.',
  slack_files_forbidden: `Slack doesn’t let me read files. The people who run this bot need to add files:read ${reinstall}`,
  slack_edit_refused: 'Slack doesn’t let me edit this message.',
  slack_delete_refused: 'Slack doesn’t let me delete this message.',
  slack_edit_too_late: 'This message is too old to be edited in this workspace.',
  slack_edit_streaming: 'Slack doesn’t let me edit this message while it streams.',
  slack_stream_ended: 'Slack has ended the stream of this message.',
  slack_stream_stopped: 'The stream of this message was stopped.',
  slack_stream_refused: 'Slack doesn’t let me stream messages.',
  slack_token_refused: `Slack refused SLACK_BOT_TOKEN. The people who run this bot need to copy the “Bot User OAuth Token” (xoxb-…) ${slackApps}. It changes when the app is reinstalled.`,
  slack_token_not_bot: `SLACK_BOT_TOKEN isn’t a bot’s token. Copy the “Bot User OAuth Token” (xoxb-…) ${slackApps}.`,
  slack_app_token_refused: ({ reason }: { reason: string }) =>
    `Slack refused SLACK_APP_TOKEN (${reason}). Create an App-Level Token (xapp-…) with the scope connections:write at https://api.slack.com/apps under “Basic Information”.`,
  slack_scope_missing: ({ scope }: { scope?: string }) =>
    `The Slack app lacks ${scope ? `the scope ${scope}` : 'a scope that Slack didn’t name'}. The people who run this bot need to add it ${reinstall}`,
  slack_write_forbidden: 'Slack doesn’t allow me to write here. A workspace admin can change that.',
  slack_direct_messages_off:
    'Direct messages to me are switched off. Switch on the messages tab at https://api.slack.com/apps under “App Home”.',
  slack_bot_direct: 'Bots can’t receive direct messages.',
  slack_person_deactivated: 'That person’s account is deactivated.',
  slack_uploads_off: 'File uploads are switched off in this workspace. An admin can change that.',
  slack_file_type_refused: 'This workspace doesn’t accept files of this type.',
  slack_message_too_long: 'Slack refused the message because it is too long.',

  // Discord
  discord_token_refused:
    'Discord refused DISCORD_TOKEN. The people who run this bot need to copy the token from https://discord.com/developers/applications under “Bot”, or reset it there.',
  discord_intent_missing:
    'Discord doesn’t let the bot read messages. Switch on “Message Content Intent” at https://discord.com/developers/applications under “Bot”, then restart.',
  discord_gateway_closed: ({ code }: { code: number }) =>
    `Discord’s gateway closed the connection for good (${code}).`,
  discord_forbidden: 'Discord doesn’t let me do that here.',
  discord_not_author: 'Only the author of a message can edit it.',
  discord_edit_too_often: 'Discord doesn’t let me edit a message this old so often.',
  discord_abuse: 'Discord’s protection against abuse refused the message.',
  discord_direct_refused:
    'I can’t send you direct messages. Allow them in your privacy settings for this server, or unblock me.',
  discord_auto_mod: 'The server’s AutoMod refused my message. A moderator can change its rules.',
  discord_permission_missing: ({ permission, channel }: { permission: string; channel?: string }) =>
    `I don’t have the permission “${permission}”${channel ? ` in #${channel}` : ' here'}. ${grant}`,
  discord_permissions_needed: ({
    permissions,
    channel,
  }: {
    permissions: readonly string[];
    channel?: string;
  }) =>
    `I’m missing a permission${channel ? ` in #${channel}` : ' here'}: I need ${and(permissions.map((name) => `“${name}”`))}. ${grant}`,

  // Typed commands
  no_action: ({ name }: { name: string }) => `There is no “${name}” here.`,
  no_option: ({ name }: { name: string }) => `There is no option --${name} here.`,
  no_value: ({ name }: { name: string }) => `--${name} needs a value.`,
  surplus_text: ({ text }: { text: string }) => `I don’t know what to do with “${text}”.`,

  // The service's refusals
  api_key_unknown: 'The API key is missing or unknown: send Authorization: Bearer <key>',
  api_key_busy: ({ seconds }: { seconds: number }) =>
    `Too many requests with this key: wait ${seconds} s`,
  path_unknown: ({ method, path }: { method: string; path: string }) =>
    `There is no ${method} ${path}`,
  method_not_allowed: ({ allowed }: { allowed: readonly string[] }) =>
    `This path takes ${allowed.join(', ')} only`,
  service_failed: ({ request }: { request: string }) =>
    `The service failed. Its log says more about request ${request}`,
  service_stopping: 'The service is stopping: ask again shortly',
  fields_invalid: ({ faults }: { faults: readonly FieldFault[] }) =>
    faults.map((fault) => `${fault.field}: ${toRequirement(fault)}`).join('; '),
  resource_unknown: ({ noun, uuid }: { noun: Resource; uuid: string }) =>
    `There is no ${resources[noun].one} ${uuid}: check the uuid`,
  resource_limit: ({ noun, count: number }: { noun: Resource; count: number }) =>
    `There are already ${count(number, resources[noun])}, which is the limit: delete some`,
  source_foreign: ({ uuid }: { uuid: string }) =>
    `data_source_uuids: this chatbot has no data source ${uuid}: name only its own`,
  tag_foreign: ({ uuid }: { uuid: string }) =>
    `source_tag_uuids: this chatbot has no source tag ${uuid}: name only its own`,
  document_unknown: ({ uuid }: { uuid: string }) =>
    `session_document_uuids: there is no session document ${uuid}: upload it first`,
  source_exists: ({ name, uuid }: { name: string; uuid: string }) =>
    `This chatbot already has ${name}, as data source ${uuid}: delete that one first to add it again`,
  agent_exists: ({ type }: { type: string }) =>
    `type: this chatbot already has its one ${type} agent: update that one`,
  agent_model_unknown: ({ model, models }: { model: string; models: readonly string[] }) =>
    `model: there is no model “${model}” here: use ${models.join(', ')}, or another one that GET /api/v1/agent/models lists`,
  variables_unfit: ({ type }: { type: string }) =>
    `variables: only user-facing agents have them, and this one is ${type}`,
  tags_unfit: ({ type }: { type: string }) =>
    `tags: only background agents have them, and this one is ${type}`,
  url_invalid: 'url: must be an address like https://example.com/page',
  url_has_password: 'url: must not contain a user name or password: leave them out',
  meta_invalid:
    'meta_json: must be a JSON object like {"reference_source_link": "https://example.com/page"}',
  body_not_json: 'The body must be JSON: send Content-Type: application/json',
  body_malformed: 'The body is not valid JSON: send an object like {"name": "value"}',
  body_incomplete: 'The body did not arrive whole: send it again',
  body_late: ({ seconds }: { seconds: number }) =>
    `The body did not arrive within ${seconds} s: send it again`,
  body_coding_unknown: ({ accepted }: { accepted: string }) =>
    `The body is packed in a way that can’t be read: send it as it is, or with one Content-Encoding of ${accepted}`,
  body_coding_broken:
    'The body can’t be unpacked: send it whole, and packed as its Content-Encoding says',
  body_not_utf8: 'The body is not UTF-8: send it as UTF-8',
  body_too_large: 'The body is too large: JSON may be up to 1 MB',
  body_overfilled: ({ fields }: { fields: number }) =>
    `The body has too many fields: JSON may have up to ${fields.toLocaleString('en')}`,
  form_not_multipart: 'The body must be multipart form data with the file in "file"',
  form_malformed:
    'The form is broken or did not arrive whole: send multipart form data with a boundary and the file in "file"',
  form_empty: 'file: is required: the form is empty',
  form_field_too_large: ({ field }: { field: string }) =>
    `${field}: must be at most 16 kB: shorten it`,
  upload_missing: 'file: is required: send the file in the form field "file"',
  upload_several: 'file: only one file is taken at a time: upload them one by one',
  upload_empty: ({ name }: { name: string }) => `file: ${name} is empty`,
  upload_too_large: ({ mebibytes }: { mebibytes: number }) =>
    `file: is too large: up to ${mebibytes} MB are allowed, split it`,
  upload_refused: ({ name, kind }: { name: string; kind: RefusedKind }) =>
    `file: file type not allowed: ${name} is ${refusedKinds[kind]}. Send a document that holds text`,
  upload_unreadable: ({ reason }: { reason: string }) => `file: ${reason}`,
  client_left: 'The client left before its query was accepted',

  // Why a source could not be read: its file
  document_empty: 'The file is empty.',
  document_without_text: 'The file holds no text to read.',
  document_too_long: ({ characters, max }: { characters: number; max: number }) =>
    `The document is too long: ${characters} characters of text, ${max} are allowed. Split it into parts.`,
  document_too_large: ({ bytes, max }: { bytes: number; max: number }) =>
    `The file is too large: ${size(bytes)}, up to ${size(max)} are allowed.`,
  document_kind_refused: ({ kind }: { kind: RefusedKind }) =>
    `file type not allowed: this is ${refusedKinds[kind]}. Add PDF, Word, PowerPoint, Excel, OpenDocument, EPUB, text, Markdown, HTML, CSV, JSON, RTF or e-mail files.`,
  document_protected: 'The file is protected by a password. Save it without one and add it again.',
  source_file_gone: 'The file is no longer there. Delete this source and upload it again.',
  storage_full: ({ used, max }: { used: number; max: number }) =>
    `There is no storage left for this: what is stored takes up ${used} of ${max} MB. ${makeRoom}`,
  text_too_large: ({ text, left }: { text: number; left: number }) =>
    `Too large: its text takes up ${text} MB, and ${left} MB is left. ${makeRoom}`,
  source_failed:
    'This source could not be read because of a fault in the service. Restart it, or try again later.',
  reading_too_slow: ({ seconds }: { seconds: number }) =>
    `The file took longer than ${seconds} seconds to read. Split it into parts or simplify it.`,
  reading_too_big: ({ megabytes }: { megabytes: number }) =>
    `The file took more than ${megabytes} MB of memory to read. Split it into parts or simplify it.`,
  reading_overflowed: 'The file is nested too deeply or too large to be read.',
  reading_failed: 'The file could not be read: it may be damaged.',
  archive_too_large: (excess: ArchiveExcess) =>
    `The file unpacks to ${toExcess(excess)}, which is more than can be read. Split it into parts or simplify it.`,
  archive_damaged: 'The file is damaged: it can’t be unpacked. Save it anew and add it again.',
  xml_broken: 'The file is damaged: it holds broken XML.',
  xml_too_deep: ({ max }: { max: number }) => `The file is nested more than ${max} levels deep.`,
  json_invalid: ({ reason }: { reason: string }) => `The file is not valid JSON: ${reason}.`,
  json_too_deep: ({ max }: { max: number }) => `The JSON is nested more than ${max} levels deep.`,
  sheet_too_large: ({ max }: { max: number }) =>
    `A sheet has more than ${max} cells. Split it into parts.`,
  book_protected: 'The book is protected against copying. Add one without such protection.',
  book_too_long: ({ chapters, max }: { chapters: number; max: number }) =>
    `The book has ${chapters} chapters, up to ${max} can be read. Split it into parts.`,
  presentation_too_long: ({ slides, max }: { slides: number; max: number }) =>
    `The presentation has ${slides} slides, up to ${max} can be read. Split it into parts.`,
  pdf_too_long: ({ pages, max }: { pages: number; max: number }) =>
    `The PDF has ${pages} pages, up to ${max} can be read. Split it into parts.`,
  pdf_page_too_long: ({ page }: { page: number }) => `Page ${page} of the PDF holds too much text.`,
  pdf_table_missing: ({ tables }: { tables: readonly string[] }) =>
    `Text of the PDF can’t be read: its letters are given by numbers of a table that is not part of it (${tables.join(', ')}). ${printAnew}`,
  pdf_garbled: `Text of the PDF can’t be read: its fonts don’t tell which letters they draw. ${printAnew}`,
  pdf_without_text:
    'The PDF holds no text, only pictures of it. Run text recognition (OCR) over it and add it again.',
  pdf_damaged: 'The PDF is damaged: it can’t be read. Save it anew and add it again.',

  // Why a source could not be read: its web page
  address_invalid: ({ address }: { address: string }) =>
    `“${address}” is not an address. Give one like https://example.com/page.`,
  address_not_web: ({ address }: { address: string }) =>
    `${address} is no web page: the address must begin with http:// or https://.`,
  address_has_password: 'The address holds a user name or password. Leave them out.',
  address_port: ({ port }: { port: string }) =>
    `Port ${port} is not for web pages. Check the address.`,
  address_video: 'YouTube videos can’t be read yet. Add the transcript as a file instead.',
  host_unknown: ({ host }: Host) =>
    `${host} could not be found. Check the address for typing errors.`,
  host_lookup_failed: ({ host }: Host) => `${host} could not be looked up. Try again later.`,
  host_without_address: ({ host }: Host) => `The host ${host} could not be found.`,
  host_private: ({ host }: Host) =>
    `${host} is not a public address. Only pages on the public internet can be added; upload the page as a file instead.`,
  host_refuses: ({ host }: Host) => `${host} refuses connections. Try again later.`,
  host_broke_off: ({ host }: Host) => `${host} broke the connection off. Try again later.`,
  host_unreachable: ({ host }: Host) => `${host} can’t be reached. Try again later.`,
  host_silent: ({ host }: Host) => `${host} does not answer. Try again later.`,
  host_not_proxied: ({ host }: Host) =>
    `The proxy of the bot’s network does not lead to ${host}. Upload the page as a file instead, or ask the bot’s operator.`,
  host_certificate: ({ host, reason }: Host & { reason: string }) =>
    `${host} has no valid certificate (${reason}).`,
  host_unreadable: ({ host }: Host) => `What ${host} answers could not be read.`,
  robots_unavailable: ({ host, status }: Host & { status: number }) =>
    `${host} can't say at the moment what may be read (its robots.txt answers ${status}). Try again later.`,
  robots_forbid: ({ host, address }: Host & { address: string }) =>
    `${host} does not want programs to read ${address} (its robots.txt forbids it).`,
  page_late: ({ address, seconds }: { address: string; seconds: number }) =>
    `${address} did not arrive within ${seconds} seconds. Try again later.`,
  page_redirects: ({ address, max }: { address: string; max: number }) =>
    `${address} redirects more than ${max} times.`,
  page_missing: ({ address, status }: AnsweredPage) =>
    `${address} answers ${status}: there is no such page. Check the address.`,
  page_not_public: ({ address, status }: AnsweredPage) =>
    `${address} answers ${status}: the page is not open to everybody. Upload it as a file instead.`,
  page_failed: ({ address, status }: AnsweredPage) =>
    `${address} answers ${status}. Try again later.`,
  page_packed: ({ encodings }: { encodings: string }) =>
    `The page is packed in a way that can’t be read (${encodings}).`,
  page_too_long: ({ max }: { max: number }) =>
    `The page is longer than ${size(max)}. Add its parts one by one.`,
  page_too_deep: ({ max }: { max: number }) => `The page is nested more than ${max} elements deep.`,
  page_empty: 'The page is empty.',

  // Why the service’s answer failed
  answer_failed: 'Something went wrong while answering. Please ask again.',
  answer_stopped: 'The service stopped while it was answering.',
  no_agent_enabled:
    'None of this chatbot’s agents is switched on to answer. Enable a user-facing agent, then ask again.',
  documents_too_long: 'The uploaded file(s) are too long, please reduce the length and try again.',
  documents_too_many:
    'The uploaded file(s) are too long, please reduce the length and try again, or start a new chat session.',
  embeddings_refused: ({ status }: { status: number }) =>
    `The embeddings server answered ${status}: search finds the rest by its words alone until it can be tried again.`,
  embeddings_unreachable:
    'The embeddings server could not be reached or broke off: search finds the rest by its words alone until it can be tried again.',
  embeddings_wrong:
    'The embeddings server sent something other than one vector for each text: check EMBEDDINGS_BASE_URL and EMBEDDINGS_MODEL.',
  model_key_refused:
    'The model server refused the service’s key: whoever runs the service must set LLM_API_KEY.',
  model_no_credit:
    'The model can’t answer, because its account has no credit left: whoever runs the service must top it up.',
  model_unknown: ({ model }: { model: string }) =>
    `The model server does not know the model ${model}: whoever runs the service must set LLM_MODEL to one that it has.`,
  model_address_wrong:
    'The model server was found, but not at this address: whoever runs the service must check LLM_BASE_URL, which ends in /v1 with most servers.',
  model_redirected:
    'The model server has moved to another address: whoever runs the service must check LLM_BASE_URL.',
  model_not_there:
    'The model server sent something that is no answer: whoever runs the service must check LLM_BASE_URL.',
  model_busy: 'The model has too much to do right now, so please ask again in a minute.',
  model_overfilled:
    'The question and its conversation are too long for the model, so please ask more briefly or begin a new conversation.',
  model_failed: 'The model server failed, so please ask again in a moment.',
  model_refused:
    'The model server did not accept the request: whoever runs the service finds the reason in its log.',
  model_filtered:
    'The content filter of the model’s provider stopped this answer, so please ask in other words.',
  model_no_room:
    'The model used up its max length before it came to an answer, so please ask for less at once.',
  model_gave_nothing: 'The model gave no answer, so please ask in other words.',
  model_too_slow: 'The model took too long to answer, so please ask again.',
  model_unreachable: 'The model server could not be reached, so please ask again in a moment.',
  model_broke_off: 'The model’s answer broke off, so please ask again.',
};

/** The service's answer when no source has one. */
const answers = {
  nothing:
    'I found no answer to that in my sources. Try rephrasing your question, or add a source that covers it.',
  near: (places: readonly string[]) =>
    `I found no answer to that in my sources. The closest matches are in ${and(places)}: ask about that, or add a source that covers it.`,
  /** Questions that a source may answer. */
  suggest: {
    about: (subject: string) => `What should I know about “${subject}”?`,
    whatIs: (subject: string) => `What is ${subject}?`,
    whatAre: (subject: string) => `What are ${subject}?`,
  },
};

/**
 * Messages that are no questions, separated by commas: in small letters, without punctuation other
 * than the commas, and without apostrophes.
 */
const smallTalk = {
  greeting:
    'hi, hello, hey, hiya, howdy, hi there, hello there, hey there, hi bot, hello bot, hey bot, hi all, hello all, hi everyone, hello everyone, hi causeway, hello causeway, hey causeway, good morning, good afternoon, good evening, how are you, hi how are you, hello how are you, hey how are you',
  thanks:
    'thanks, thank you, thx, ty, cheers, many thanks, thanks a lot, thanks so much, thanks again, thanks bot, thank you bot, thanks causeway, thank you causeway, thank you very much, thank you so much, ok thanks, okay thanks, ok thank you, great thanks, great thank you, perfect thanks, perfect thank you, cool thanks, got it thanks, that helped thanks, thanks that helped, thanks for your help, thank you for your help',
  help: 'help, help me, help please, please help, please help me, i need help',
};

/** What threads show below replies and instead of them. */
const thread = {
  greeting:
    'Hello! Ask me a question, and I’ll answer here from what I’ve been taught. Say “help” to see what else I can do.',
  youAreWelcome: 'You’re welcome! Ask me again whenever you like.',
  tooManyWaiting: 'I’m still answering earlier questions here. Please ask again when I’m done.',
  tooBusy: 'I’m answering too many questions right now. Please ask again in a minute.',
  commandInterrupted:
    'I was restarted while this command was running. I don’t run it again: please check what it did.',
  questionEdited: 'You changed your question.',
  emptyAnswer: 'I got an empty answer. Try rephrasing your question.',
  freshSession: 'The chatbot service no longer has our earlier conversation, so this is a new one.',
  usualChatbot: 'The chatbot chosen here was deleted, so the default one answers now.',
  cut: 'This answer was cut off because it reached the maximum length.',
  heldBack:
    'I’ve sent too many messages here, so I can’t post the rest of this answer yet. It follows as soon as I may.',
  attached: 'This answer is too long to show here. The full text is attached as a file.',
  sources: (list: string) => `Sources: ${list}`,
  noPassages: 'This answer quotes no passages.',
  forgotten: 'This answer is too old: I no longer know what it was about.',
  /** Follows the bot’s name in Slack’s status line. */
  answersOthers: (ahead: number) =>
    `answers ${count(ahead, { one: 'other question', other: 'other questions' })} first…`,
  stillAnswering: 'I’m still answering that. Stop it first, or wait until it’s done.',
  nothingAsked: 'Nothing has been asked in this thread yet.',
  nothingToStop: 'There’s nothing to stop: I’m not answering anything here.',
  notYoursToStop: (asker: string) => `Only ${asker}, who asked, or a manager can stop this answer.`,
  thanks: {
    helpful: 'Thank you! I’ve noted that this answer was helpful.',
    unhelpful: 'Thank you. I’ve noted that this answer was not helpful.',
  },
  stopped: {
    restart: 'I was restarted before this answer was done. Please ask again.',
    person: (name: string) => `Stopped by ${name}.`,
    removed: 'Stopped because the question was deleted.',
  },
  buttons: {
    stop: 'Stop',
    retry: 'Try again',
    answerAgain: 'Answer again',
    passages: 'Show passages',
    helpful: 'Helpful',
    unhelpful: 'Not helpful',
    person: 'Talk to a person',
    resume: 'Let the bot answer again',
  },
};

/**
 * Handing a thread over to people. The first three are the defaults for chatbots without their own
 * texts.
 */
const handOver = {
  requested: 'You asked for a person, so I’ll stay quiet in this thread until they’re done.',
  requestedUntold: (command: string) =>
    `You asked for a person, so I’ll stay quiet in this thread. But I couldn’t tell anyone: please speak to someone yourself. Managers choose who is notified with ${command}.`,
  started: 'A person is here now.',
  ended: 'I’m answering here again.',
  hint: `This thread is with people now, so I’m staying quiet. I’ll answer again once someone presses “${thread.buttons.resume}”.`,
  lapsed: 'The hand-over has expired, so I’m answering in this thread again.',
  alreadyRequested: 'Someone has already asked for a person here, so I’m staying quiet.',
  nobodyTold: (command: string) =>
    `I couldn’t tell anyone that a person is needed here. Managers choose who is notified with ${command}.`,
  toldBefore: 'People were notified a few minutes ago, so I haven’t notified them again.',
  noneFromHere:
    'I can’t reach people from this direct message. Please ask for a person in a channel that I’m in.',
  noThread:
    'I can’t hand over to people here: I can’t open a thread, so I would go silent for the whole channel. Please ask for a person in a thread, or in another channel.',
  notOffered: 'Talking to a person is no longer offered here.',
  notHandedOver: 'I’m already answering here: this thread isn’t with people.',
  /** Who may end a hand-over, in the order in which they joined it. */
  notYoursToEnd: ({
    askedBy,
    onBehalfOf,
    takenBy,
  }: {
    askedBy: string;
    onBehalfOf?: string;
    takenBy?: string;
  }) => {
    const people = [
      `${askedBy}, who asked for a person,`,
      ...(onBehalfOf ? [`${onBehalfOf}, whose question it was,`] : []),
      ...(takenBy ? [`${takenBy}, who took over,`] : []),
    ];
    return `Only ${people.join(' ')} or a manager can let me answer here again.`;
  },
  notice: {
    asks: (name: string) => `🙋 ${name} is asking for a person.`,
    asksFor: (name: string, whom: string) => `🙋 ${name} is asking for a person for ${whom}.`,
    open: (link: string) => `[Open the thread](${link})`,
    noLink: 'I have no link to the conversation; please write to them directly.',
  },
};

/** Why the bot does nothing for somebody. */
const access = {
  unknown_workspace:
    'I don’t work here yet: none of my chatbots belongs to this workspace. A manager here can change that: they ask a manager of a workspace that has a chatbot for a code, and enter it with the slash command “chatbot share”.',
  no_server:
    'I can’t answer your direct messages, because none of my chatbots belongs to a server that we share. Please ask in a server where I answer.',
  choose: (servers: readonly string[]) =>
    servers.length === 1
      ? `I can no longer answer you here for the server that was chosen. The chatbot of ${and(servers)} can: choose it below, or with the command “chatbot server”.`
      : `We share several servers: ${and(servers)}. Which server’s chatbot should answer you here? Choose one below, or with the command “chatbot server”; I’ll remember it.`,
  chosen: (server: string) => `From now on, the chatbot of ${server} answers you here.`,
  noSuchServer: (servers: readonly string[]) =>
    `That’s none of the servers that we share and that have a chatbot: ${and(servers)}.`,
  onlyDirect:
    'That is for direct messages on Discord. Here, the chatbot of this workspace answers.',
  outsider: {
    guest:
      'I don’t answer guests here. A manager can change that with the command “chatbot guests”.',
    stranger:
      'I don’t answer people from other workspaces here. A manager can change that with the command “chatbot guests”.',
    unknown:
      'I couldn’t find out whether you belong to this workspace, so I can’t do that now. Please try again in a moment.',
  },
};

export const messages = {
  descriptions,
  access,

  size,

  asked: {
    thread: 'I’m answering in the thread below your question.',
    here: 'I’m answering below your question.',
    direct: 'I’m not part of this conversation, so I’m answering in our direct messages.',
  },
  unknownCommand: (help: string) => `I don’t know that command. ${help} lists the ones I know.`,
  managersOnly: (named: string) =>
    `Only managers can do that: admins and owners in Slack, people who may manage the server in Discord, and ${named || 'anyone added by a manager or by the people who run this bot'}.`,
  forgotten: 'This button is too old. Please use the command again.',
  share: 'Share in channel',
  sharedBy: (name: string) => `*Shared by ${name}*`,
  showAll: 'Show all',
  useAgain: 'Please use the command again.',
  interrupted: (command: string, check: string) =>
    `I was restarted while ${command} was running. I don’t run it again: please check with ${check} what it did.`,
  askInterrupted: (command: string) =>
    `I was restarted while ${command} was running. If your question is not in the channel, or stays without an answer, please ask again.`,
  keep: 'Cancel',
  kept: 'Nothing was deleted.',
  deleteLabel: 'Delete',
  deleted: (name: string) => `${name} was deleted.`,
  deletedElsewhere: (kind: Kind, name: string) =>
    `The ${kinds[kind]} **${name}** was deleted elsewhere.`,
  renamed: (before: string, after: string) => `**${before}** is now called **${after}**.`,
  updated: (name: string) => `Saved: ${name}`,
  nothingChanged: 'Nothing to change: at least one value has to be different.',
  yesOrNo: (value: boolean): string => (value ? 'yes' : 'no'),

  pages: {
    which: (page: number, pages: number) => `page ${page} of ${pages}`,
    previous: 'Previous',
    next: 'Next',
  },

  whichOne: {
    several: (kind: Kind, name: string) =>
      `There is more than one ${kinds[kind]} called “${name}”. Which one?`,
    guess: (kind: Kind, name: string) =>
      `There is no ${kinds[kind]} called “${name}”. Did you mean one of these?`,
  },

  invalid,
  problems,
  smallTalk,
  thread,
  handOver,
  answers,
  failures,
  forms,
  labels,
  choices,
  limits,
  places,
  fields: {
    meaning: 'Found by meaning',
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
    handoverMessage: 'When someone asks for a person',
    handoverStart: 'When a person takes over',
    handoverEnd: 'When the person leaves',
    monitored: 'Messages that ask for a person',
    notifications: 'Notifications',
    sound: 'Sound',
    visibility: 'Visibility',
    rateLimit: 'Rate limit',
    rateLimitMessage: 'When the limit is exceeded',
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
  /** Slack's one command without a word opens a menu of all commands. */
  menu: {
    choose: 'Choose a command',
    head: (ask: string, help: string) =>
      `What would you like to do? Choose a command, or type it: ${ask} and a question, for example. ${help} explains them all.`,
  },
  help: {
    heading:
      'Mention me with a question, and I’ll answer in a thread. You can also use these commands:',
    forManagers: 'You’re a manager here, so you can change things too.',
    forEveryone: 'Managers can also change things.',
    inShort: (commands: string, more: string) =>
      `Ask me a question: mention me in a channel, or write to me directly. I answer in a thread from what I’ve been taught, and list my sources. Ask further there without a mention.\n\nThere are commands too, here or after a mention:\n\n${commands}\n\n${more} lists everything you can do.`,
  },
};
