import { createFormats, formatDay } from '../../../shared/problems/formats.ts';
import { problems as apiProblems, type RefusedKind } from '../../../shared/problems/english.ts';

const { and, count, or, size } = createFormats('en-GB');

/** What an option can refer to. */
const kinds = {
  source: 'source',
  tag: 'tag',
  agent: 'agent',
  chatbot: 'chatbot',
  session: 'session',
  gap: 'open question',
};

type Kind = keyof typeof kinds;

/** What commands and their options do, at most 100 characters each: Discord's limit. */
const descriptions = {
  page: 'Page to show',
  color: 'A colour such as #1f2937, or a name such as teal',

  ask: 'Ask the chatbot a question; it answers in a thread',
  'ask question': 'What you want to know',
  'ask private': 'Whether only you see the question and its answer',
  'ask shortcut': 'Ask about this (only me)',

  source: 'What the chatbot knows: add, list, rename and delete sources',
  'source upload': 'Add files to what the chatbot knows',
  'source upload shortcut': 'Add files as sources',
  'source url': 'Add web pages to what the chatbot knows',
  'source answering': 'Answer an open question: I learn the answer, and answer the question again',
  'source answering gap': 'Question without a helpful answer; /gaps lists them',
  'source answering question': 'Question to teach; leave empty for the one that was asked',
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
  'chatbot tags': 'Choose what the tags of a forum mean',
  'chatbot tags tag': 'Name of the tag; without it, all are shown',
  'chatbot tags chatbot': 'Chatbot that answers posts with this tag',
  'chatbot tags means': 'solved: set when a post’s author presses Helpful; nothing: no meaning',
  'chatbot context': 'Choose whether I read earlier messages for questions outside threads',
  'chatbot context taken': 'Whether I read them in this channel',
  'chatbot unsure': 'Choose what I do in this channel where the sources don’t clearly answer',
  'chatbot unsure way':
    'answer: say so; quiet: post nothing, unless mentioned; silent: post nothing at all',
  'chatbot unsure call': 'Whether to notify the people of “chatbot notify” about such a question',
  'chatbot managers': 'Show, add or remove managers',
  'chatbot audit': 'Choose the channel where changes are announced',
  'chatbot share': 'Share a chatbot with another workspace, or enter a code you were given',
  'chatbot share chatbot': 'Chatbot to share',
  'chatbot share code': 'Code from a manager of another workspace',
  'chatbot share end': 'Stop sharing the chatbot with all workspaces',
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
  'chatbot how':
    'Mentions; also replies in threads; also questions; posts without their replies; or everything',
  'chatbot manager person': 'Person to add as a manager',
  'chatbot manager group': 'Group whose members become managers',
  'chatbot manager remove': 'Remove this person or group instead of adding them',
  'chatbot audit channel': 'The channel; leave empty to see the current one',
  'chatbot audit off': 'Stop announcing changes',
  'chatbot notify channel': 'Channel to notify',
  'chatbot notify person': 'Person to mention',
  'chatbot notify remove': 'Stop notifying this channel or person',
  'chatbot access': 'Show and choose who may ask, and where',
  'chatbot access rule': 'Allow or block; “clear” removes what was chosen',
  'chatbot access person': 'Person the rule applies to',
  'chatbot access group': 'Group whose members the rule applies to',
  'chatbot access channel': 'Channel the rule applies to',
  'chatbot access direct': 'Apply the rule to direct messages with me',
  'chatbot access bot': 'Id of a bot, workflow or webhook',
  'chatbot limits': 'Limit how many questions are asked within 24 hours',
  'chatbot limits person': 'Questions of each person; 0 for no limit',
  'chatbot limits channel': 'Questions in each channel; 0 for no limit',
  'chatbot limits workspace': 'Questions in the whole workspace; 0 for no limit',

  session: 'Chat sessions: the questions and answers in threads',
  'session new': 'Start a new session: in this thread or, outside of threads, with a question',
  'session list': 'List the sessions',
  'session show': 'Show the messages of a session',
  'session export': 'Export the messages of a session as a file',
  'session stop': 'Stop the current answer',
  'session retry': 'Ask the last question again',
  'session resume': 'Let the bot answer again after a hand-over',
  'session delete': 'Delete a session and its messages',
  'session forget': 'Also delete the current session and its messages',
  'session forget own': 'Delete all that you asked me, with my answers',
  'session question': 'Question to begin the session with',
  'session from': 'Started on or after this day, such as 2026-09-12 or today',
  'session to': 'Started on or before this day, such as 2026-09-12 or today',
  'session name or here': 'First question of the session, or its id; leave empty for this thread’s',
  'session format': 'Markdown for reading, or JSON with everything',

  handover: 'Let people talk to a person instead of the bot',
  'handover on': 'Let people ask for a person, and choose the channel to notify',
  'handover off': 'Stop offering to talk to a person',
  'handover status': 'Show how to ask for a person, and who is notified',
  'handover channel': 'Channel to notify when someone asks for a person',
  gaps: 'Show questions without a helpful answer',

  help: 'Show what you can do here',
  'help command': 'Command to explain',
};

/** The titles of forms, where the description of the command is too long for one. */
const titles: Record<string, string> = {
  ask: 'Ask a question',
  'source upload': 'Add files',
  'source url': 'Add web pages',
  'source answering': 'Answer a question',
  'source qa': 'Teach an answer',
  'source show': 'Show a source',
  'source tag': 'Tag sources',
  'tag show': 'Show a tag',
  'tag delete': 'Delete a tag',
  'agent show': 'Show an agent',
  'agent create': 'Create an agent',
  'agent enable': 'Enable an agent',
  'agent disable': 'Disable an agent',
  'agent sources': 'Sources of an agent',
  'chatbot delete': 'Delete a chatbot',
  'chatbot use': 'Choose a chatbot',
  'chatbot follow': 'Choose what is answered',
  'handover on': 'Turn on hand-over',
};

/** The labels of options in forms, where they differ from the name. */
const labels: Record<string, string> = {
  private: 'Only for me',
  gap: 'Open question',
  'all-sources': 'All sources',
  color: 'Colour',
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
  noChannel: (text: string) =>
    `I can’t find a channel “${text}”. Type # and pick one from the list.`,
  noPerson: 'Choose a person I can see here: type @ and pick them from the list.',
  noGroup:
    'Choose a group I can see: a user group in Slack, a role other than @everyone in Discord.',
  tooManyUrls: (given: number, max: number) =>
    `That’s ${given} addresses; the limit is ${max} at a time.`,
  noUrl: (text: string) =>
    `“${text}” isn’t a web address. Enter one that starts with https://, such as https://example.com/handbook.`,
  urlWithPassword: 'Leave the user name and password out of the address.',
  noDate: 'Enter a day such as 2026-09-12, today or yesterday.',
  unknownName: (kind: Kind, name: string) =>
    kind === 'gap'
      ? 'This question isn’t open: somebody has answered it or is about to, it was deleted, or you can’t read it.'
      : `There is no ${kinds[kind]} called “${name}” here.`,
};

/** What a file is that holds no text, and what to do about it. */
const refusedFiles: Record<RefusedKind, string> = {
  archive: 'This is an archive. Unpack it, and upload the files in it.',
  split_archive: 'This is an empty or split archive. Unpack it, and upload the files in it.',
  compressed: 'This is a compressed archive. Unpack it, and upload the files in it.',
  old_office:
    'This is an old or locked Office document. Save it as .docx, .xlsx or .pptx without a password, and upload that.',
  image: 'This is a picture. Turn on text recognition (OCR) when you scan it, or upload its text.',
  sound: 'This is a sound file. Upload a transcript of it.',
  video: 'This is a video. Upload a transcript of it.',
  program: 'This is a program. Upload a document that holds text.',
  database: 'This is a database. Export it as CSV, and upload that.',
  binary: 'This file holds no text. Upload a document such as PDF, Word or plain text.',
  sitemap: 'This is a sitemap. Add its pages one by one.',
  unknown:
    'I don’t know this kind of file. If it holds text, rename it to .txt and upload it again.',
};

/** Programs read some of the service’s sentences; people read these instead. */
const problems: typeof apiProblems = {
  ...apiProblems,
  upload_empty: () => 'This file is empty. Check it, and upload it again.',
  upload_too_large: ({ mebibytes }) =>
    `This file is too large: up to ${mebibytes} MB are allowed. Split it, and upload the parts.`,
  upload_refused: ({ kind }) => refusedFiles[kind],
  document_kind_refused: ({ kind }) => refusedFiles[kind],
  url_invalid: 'This isn’t a web address. Enter one such as https://example.com/page.',
  url_has_password: 'The address contains a user name or password. Leave them out.',
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
  interrupted: () => 'The answer was cut off. Please ask again.',
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
  again: 'Open the form again',
  typed: 'You entered:',
  notAll: 'Discord’s forms have room for five fields. The others are here:',
  noFiles: 'This message has no files.',
  noWords: 'This message has no text to ask about.',
  tooManyFiles: (given: number, max: number) =>
    `This message has ${given} files; the limit is ${max} at a time.`,
};

/** The text around results and questions. */
const places = {
  asks: (name: string) => `${name} asks`,
  notThere: 'I can’t answer in the channel where you asked for this, so I’m answering you here.',
  othersRead:
    'I’m answering you here because others can read the channel where you asked for this.',
  filesSent:
    'I’ve sent you the file in a direct message, because that’s the only place where nobody else can see it.',
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
  fileFailed: (name: string, reason: string, upload: string) =>
    `${name} could not be added: ${reason}. ${upload} adds the corrected file.`,
  urlFailed: (name: string, reason: string, { retry, url }: { retry: string; url: string }) =>
    `${name} could not be added: ${reason}. ${retry} tries this address again, ${url} adds another one.`,
  refreshFailed: (name: string, since: string, reason: string, retry: string) =>
    `${name} still works with its text from ${since}. The last refresh failed: ${reason}. Use ${retry} to try again.`,
  worksSince: (since: string, reason: string) =>
    `works with its text from ${since}; the last refresh failed: ${reason}`,
  worksMeanwhile: (since: string) => `(works with its text from ${since} until then)`,
  states: { ready: 'ready', failed: 'failed' },
  types: { upload: 'file', link: 'web page', qa: 'answer' },
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
    'This service doesn’t report progress. The chatbot uses the source once it’s ready, usually within minutes.',
  passagesOf: (some: number, all: number) =>
    `${some} of ${count(all, { one: 'passage', other: 'passages' })}`,
  refusedPassages: (passages: number) =>
    `The embeddings server refused ${count(passages, { one: 'passage', other: 'passages' })}: search finds ${passages === 1 ? 'it' : 'them'} by words alone.`,
  fileTooLarge: (size: string, max: string) =>
    `This file is ${size}; the limit is ${max} (UPLOAD_MAX_MB). Make it smaller, split it, or ask the people who run this bot to raise the limit.`,
  fileRefused: (size: string, refused: string) =>
    `This file is ${size}, and the chatbot service just refused one of ${refused} as too large. Make it smaller or split it.`,
  readyOf: (ready: number, all: number) => `${ready} of ${all} ready`,
  adding: (who: string, name: string) => `${who} is adding ${name} …`,
  deletedMeanwhile: (name: string) => `${name} was deleted before it was ready.`,
  duplicate: 'already a source',
  secondAsk: (question: string, answer: string) =>
    `There is an answer to **${question}** already:\n${answer}\n\nShould there be a second one? The chatbot then uses both.`,
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
  secondAsk: (name: string) => `There is a tag **${name}** already. Should there be a second one?`,
  none: (create: string) => `There are no tags yet. Create one with ${create}.`,
  count: (number: number) => count(number, { one: 'tag', other: 'tags' }),
  sources: (number: number) => count(number, { one: 'source', other: 'sources' }),
  deleteAsk: (name: string, sources: number) => {
    const stays = sources === 1 ? 'Its source stays.' : `Its ${sources} sources stay.`;
    return `Delete the tag **${name}** for good? ${sources === 0 ? 'It has no sources.' : stays}`;
  },
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
    on: 'Guests, and people from other workspaces in shared channels, may ask me in channels and use the buttons below their own answers. Of the commands, they can use only “ask” and “session forget”.',
    off: 'I don’t answer guests, or people from other workspaces in shared channels.',
  },
  homeOnly:
    'The chatbots here were shared with this workspace. To have its own, it must be one of those in WORKSPACES: ask the people who run this bot.',
  shareWhat: (share: string) =>
    `Name the chatbot to share, or enter a code that you were given: ${share} with the option “chatbot” or “code”.`,
  shareCode: (name: string, code: string) =>
    `Ask a manager of the other workspace to enter this code there within a day, with the command “chatbot share”:\n\n${code}\n\nIt works once. Managers there can then use and change ${name}, and see its sources. The option “end” stops sharing it with all workspaces.`,
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
    questions:
      'I answer each message that looks like a question, in its own thread, and every message in threads where I’ve already answered. I ignore messages that begin by mentioning somebody else.',
    posts:
      'I answer every message outside threads, each in its own thread. In threads, I answer only when I’m mentioned.',
    everything:
      'I answer every message from a person, each in its own thread, and every message in those threads.',
  },
  followingForum: {
    questions:
      'I answer every new post, and every message in posts where I’ve already answered. I ignore messages that begin by mentioning somebody else.',
    posts: 'I answer every new post. Below it, I answer only when I’m mentioned.',
    everything: 'I answer every new post, and every message from a person below it.',
  },
  context: {
    on: 'When I’m asked here, I read what was said before: in the thread, or else in this channel.',
    off: 'When I’m asked in a thread here, I read what was said before in it. Outside threads, I read only the question.',
    direct: 'In direct messages, I read what is written to me; that can’t be changed.',
  },
  unsure: {
    answer:
      'Where my sources don’t clearly answer a question here, I say so and name what comes closest.',
    quiet: (gaps: string) =>
      `Where my sources don’t clearly answer a question here, I post nothing, unless I was mentioned. Managers find the question with ${gaps}.`,
    silent: (gaps: string) =>
      `Where my sources don’t clearly answer a question here, I post nothing, even if I was mentioned. Managers find the question with ${gaps}.`,
    calls: 'I also notify the people who are notified when someone asks for a person.',
    notTold: (update: string) =>
      `But this chatbot doesn’t tell how sure its answers are, so I post them all. Its service has to be able to tell, and its answers have to show their sources: ${update}`,
    direct: 'In direct messages, I always answer; that can’t be changed.',
  },
  followingDirect: 'I answer everything in direct messages; that can’t be changed.',
  hearing: {
    mentions:
      'But Discord only shows me messages that mention me. The people who run this bot can fix that: switch on “Message Content Intent” at https://discord.com/developers/applications under “Bot”, then restart.',
    uninvited:
      'But I’m not a member of this channel, so I can’t see its messages. Invite me with “/invite” and my name.',
    unseen:
      'But I don’t have the permission “View Channel” here, so I can’t see any messages. A server manager can grant it in the channel’s settings under “Permissions”.',
  },
  asking: {
    heading: 'Who may ask me',
    everyone: 'Everyone may, in all channels and in direct messages.',
    kinds: { people: 'People', groups: 'Groups', channels: 'Channels', bots: 'Bots' },
    allowed: (names: string) => `allowed: ${names}`,
    blocked: (names: string) => `blocked: ${names}`,
    direct: 'direct messages',
    limits: { person: 'Each person', channel: 'Each channel', workspace: 'All together' },
    limit: (max: number) =>
      `up to ${count(max, { one: 'question', other: 'questions' })} within 24 hours`,
    unlimited: 'As many questions as they like.',
    wrongBot:
      'Enter an id: in Slack the member ID, app ID or bot ID, in Discord the user ID. For a webhook, enter the number in its address.',
    tooMany: (max: number) => `You can name up to ${max} of a kind. Choose groups instead.`,
  },
  noWorkspace:
    'A direct message doesn’t belong to a server. Use this command in a channel of the server you mean.',
  followed: 'In this channel from now on',
  tags: {
    onlyForums: 'That is for posts in forum and media channels on Discord. Use it in one of them.',
    none: 'This forum has no tags yet. Someone who may manage the channel adds them in its settings.',
    unknown: (tag: string, tags: string) =>
      `There is no tag “${tag}” in this forum. Choose ${tags}.`,
    chatbot: (name: string) => `${name} answers`,
    solved: 'set when the person who asked presses Helpful',
    nothing: 'no meaning',
    note: 'A chatbot answers posts that get its tag when they are written; existing posts keep theirs.',
  },
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
  noneHere: (list: string) =>
    `There’s no session here. Choose one by its first question: ${list} shows them.`,
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
    `A new session starts here, without what was said before. The earlier one is kept for those who could read it here: ${list} shows it. With the option “forget”, a manager can have it deleted instead.`,
  title: (session: string) => `Session ${session}`,
  forget: {
    none: 'I know of nothing that you asked me.',
    ask: (questions: number) =>
      `Delete ${count(questions, { one: 'question', other: 'questions' })} of yours for good, with my answers? I’ll delete them at the chatbot service and in my store, and my own messages in the channels where you asked. Answers that are still being written stop. Your own messages stay, and so do files that I attached to very long answers, private answers that you shared, what managers taught me because of a question, what they were sent when you asked for a person, backups, and what others’ questions included from a conversation.`,
    doing: (done: number, all: number) => `Deleting: ${done} of ${all} …`,
    done: (questions: number, answers: number, posts: number) =>
      `Deleted: ${count(questions, { one: 'question', other: 'questions' })}, ${count(answers, { one: 'answer', other: 'answers' })} at the chatbot service, and ${count(posts, { one: 'message', other: 'messages' })} of mine.`,
    left: {
      heading: 'Not deleted:',
      running: (amount: number) =>
        `${count(amount, { one: 'answer', other: 'answers' })} that could not be stopped yet`,
      unsupported: (amount: number) =>
        `${count(amount, { one: 'answer', other: 'answers' })} at the chatbot service, which can’t delete single messages`,
      unknown: (amount: number) =>
        `${count(amount, { one: 'answer', other: 'answers' })} at the chatbot service, which I can’t tell from others’`,
      failed: (amount: number, why: string) =>
        `${count(amount, { one: 'answer', other: 'answers' })} at the chatbot service: ${why}`,
      posts: (amount: number, why: string) =>
        `${count(amount, { one: 'message or title', other: 'messages and titles' })} of mine: ${why}`,
      again: (command: string) => `${command} tries again.`,
    },
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
    'I was restarted while this command was running. I won’t run it again: please check what it did.',
  interrupted: 'This question waited too long to be answered, because I was interrupted.',
  commandMissed: 'I was away when this command was given, so I haven’t run it.',
  notYoursToRun: 'Only the person who gave this command can run it.',
  notHere: (question: string, why: string) =>
    question === ''
      ? `I can’t answer where you wrote to me. ${why}`
      : `I can’t answer where you asked “${question}”. ${why}`,
  notShown: 'The platform did not accept this answer. Please ask again in other words.',
  questionEdited: 'You changed your question.',
  taught: (name: string, question: string, link: string | undefined) =>
    `${name} has taught me the answer to your question “${question}”.${link ? ` [See the answer](${link})` : ''}`,
  emptyAnswer: 'I got an empty answer. Try rephrasing your question.',
  freshSession: 'The chatbot service no longer has our earlier conversation, so this is a new one.',
  usualChatbot: 'The chatbot chosen here was deleted, so the default one answers now.',
  cut: 'This answer was cut off because it reached the maximum length.',
  heldBack:
    'I’ve sent too many messages here, so I can’t post the rest of this answer yet. I’ll post it as soon as I can.',
  attached: 'This answer is too long to show here. The full text is attached as a file.',
  sources: (list: string) => `Sources: ${list}`,
  pages: (pages: string) => `p. ${pages}`,
  updated: (updatedMs: number, nowMs?: number) =>
    `updated ${formatDay(updatedMs, { locale: 'en-GB', nowMs })}`,
  noPassages: 'This answer quotes no passages.',
  forgotten: 'This answer is too old: I no longer know what it was about.',
  /** Follows the bot’s name in Slack’s status line, as the next one does. */
  thinking: 'is thinking…',
  answersOthers: (ahead: number) =>
    `is answering ${count(ahead, { one: 'other question', other: 'other questions' })} first…`,
  stillAnswering: 'I’m still answering that. Stop it first, or wait until it’s done.',
  askedAgain: 'That was asked again already. The answer is below.',
  nothingAsked: 'Nothing has been asked in this thread yet.',
  stillWorking: '*I’m still working on the answer…*',
  nothingToStop: 'There’s nothing to stop: I’m not answering anything here.',
  notYoursToStop: (asker: string) => `Only ${asker}, who asked, or a manager can stop this answer.`,
  thanks: {
    helpful: 'Thank you! I’ve noted that this answer was helpful.',
    unhelpful: 'Thank you. I’ve noted that this answer was not helpful.',
    remark: 'Thank you. Managers can read what you wrote.',
  },
  solved: 'The post is marked as solved.',
  notSolved: (why: string) => `But I couldn’t mark the post as solved. ${why}`,
  /** The form that follows “Not helpful”. */
  remark: {
    title: 'Not helpful',
    label: 'What was wrong or missing?',
    hint: 'Your feedback is already noted. Managers can read what you write here.',
    skip: 'Skip',
  },
  stopped: {
    restart: 'I was restarted before this answer was done. Please ask again.',
    person: (name: string) => `Stopped by ${name}.`,
    removed: 'Stopped because the question was deleted.',
  },
  buttons: {
    stop: 'Stop',
    retry: 'Try again',
    run: 'Run it',
    teach: 'Answer this',
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
  agentName: 'Hand-over',
  /** Messages that ask for a person, separated by commas. */
  phrases:
    'talk to a person, talk to a human, talk to someone, speak to a person, speak to a human, speak to someone, real person',
  isOn: 'Talking to a person is on.',
  isOff: (on: string) =>
    `Talking to a person is off. To switch it on, use ${on} with a channel such as #support.`,
  how: (button: string, phrases: readonly string[]) =>
    `People press **${button}** below an answer${phrases.length > 0 ? `, or write something like ${or(phrases)}` : ''}. I then stay quiet in that thread until somebody presses **${thread.buttons.resume}**; after that I know what was said.`,
  offAsk: (agent: string) =>
    `The agent ${agent} also answers questions, so it stays. Clear its hand-over messages and the phrases that ask for a person?`,
  clear: 'Clear',
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
    unanswered: (name: string) =>
      `❓ ${name} asked something that my sources don’t clearly answer, so I posted nothing.`,
    asksFor: (name: string, whom: string) => `🙋 ${name} is asking for a person for ${whom}.`,
    open: (link: string) => `[Open the thread](${link})`,
    noLink: 'I have no link to the conversation; please write to them directly.',
  },
};

/** Stands for a command as people type it on their platform, in code. */
type Slash = (words: string) => string;

/**
 * Questions about the bot itself, and the answers. A question is about a topic if all its words are
 * known here, and if it has a word of each group: `;` separates alternatives, `+` groups. With `=`, it
 * is the whole question. If a question speaks to or of the bot, one word of `addressed` is enough. In
 * small letters, without punctuation and apostrophes.
 */
const aboutBot = {
  button: 'Help with this bot',
  alsoIn: (list: string) => `My sources mention this, too: ${list}`,
  /** Words that any question may have, and that tell nothing about its subject. */
  filler:
    'a about after again all also although always am an and answer answers any anyone anything are at be became because become been before being best bot both but by can causeway chatbot could did discord do does doing dont each else ever every everyone everything exactly few find for from get give good had happen happens has have having here hers hey hi his how i if im in into is it its ive just keep know least less let like list long make makes many may me might more most much must my need never new no nor not nothing now of off on one only or other our ours out over own please possible question questions rather real reply rid same say see shall should show since slack so some somebody someone something sometimes somewhere still such take talk tell than that the their them themselves then there these they thing things this though through to too until up us use used using very via want was way we were what whatever whats when whenever where wheres wherever whether which while who whom whose why will with without work works would yes yet you youll your',
  /** Words that speak to or of the bot, and phrases that only seem to. */
  address: 'bot bots causeway chatbot you your youre yours yourself youve',
  asides:
    'you tell; you explain; you show; you give; you know; you say; you describe; you think; how do you; how can you; if you; thank you',
  /** Who may do something is answered only by a sentence with one of the second words. */
  whoMay: { asked: 'who', said: 'only allowed may must managers admin' },
  topics: {
    abilities: {
      asked:
        '=what can you do; =what do you do; =what can you do for me; =how can you help me; =how can you help; =what can i do here; =what can i ask you; =what are you; =who are you; =what are you for; =what are you good for; =what do you know; =how do you work; =tell me about yourself; =introduce yourself; =how does this bot work; =how does the bot work; =what is this bot; =what is this bot for; =what can this bot do; =what does this bot do; =are you a bot; =are you human; =are you a human; =are you a person; =are you an ai',
      addressed: 'abilities ability able capabilities capable features purpose skills',
      answer: (slash: Slash) =>
        `I answer questions from the sources that I’ve been taught, and list them below each answer. Mention me with a question in a channel, or write to me directly. Managers teach me files with ${slash('source upload')} and web pages with ${slash('source url')}. ${slash('help')} lists all commands.`,
    },
    commands: {
      asked: 'command commands',
      addressed: 'command commands',
      answer: (slash: Slash) =>
        `These are the main commands:\n\n- ${slash('ask')}: ask a question\n- ${slash('source upload')}, ${slash('source url')}, ${slash('source qa')}: teach me a file, a web page, or an answer\n- ${slash('source list')}: show what I’ve been taught\n- ${slash('session new')}: start a new conversation\n\n${slash('help')} lists all of them.`,
    },
    types: {
      asked:
        'type types format formats kind kinds + file files document documents upload read support',
      addressed: 'filetypes format formats',
      answer: (slash: Slash) =>
        `I read PDF, Word, Excel, PowerPoint, OpenDocument, EPUB, RTF, HTML, Markdown, plain text, CSV, JSON and e-mails. Scanned pages need text recognition (OCR) first. Upload a file with ${slash('source upload')}.`,
    },
    managers: {
      asked:
        'who allowed + add adds change create delete deletes edit manage manages remove upload + bot document documents file files settings source sources you; become + admin manager managers; who + admin manager managers',
      addressed: 'admin admins administrator configure configures manager managers',
      answer: (slash: Slash) =>
        `Only managers add, change and delete sources: admins and owners in Slack, people who can manage the server in Discord, and anyone whom a manager adds with ${slash('chatbot managers')}. Everyone can ask questions, and see the sources with ${slash('source list')}.`,
    },
    upload: {
      asked:
        'add attach import send teach upload + doc docs document documents excel file files handbook manual pdf pdfs word; add create teach + knowledge source sources',
      addressed: 'feed train trained training upload uploading',
      answer: (slash: Slash) =>
        `Type ${slash('source upload')} and choose a file: PDF, Office, HTML, text and more. For a web page, type ${slash('source url')} and its address. The status message says when it’s ready. Only managers can add sources.`,
    },
    website: {
      asked:
        'add fetch import index learn read teach upload + link links page pages site url urls web webpage website websites',
      addressed: '',
      answer: (slash: Slash) =>
        `Yes: type ${slash('source url')} and the address of each page, which must be public. ${slash('source refresh')} fetches pages again after they have changed. Only managers can add sources.`,
    },
    deleting: {
      asked:
        'delete erase forget remove + document documents file files page pages pdf source sources website',
      addressed: 'unlearn',
      answer: (slash: Slash) =>
        `Type ${slash('source delete')} and the name of the source. I ask before I delete it. ${slash('source list')} shows all names. Only managers can delete sources.`,
    },
    sources: {
      asked:
        'know list many see show what which + source sources; list what which + document documents file files + have know learned',
      addressed: 'cite cites knowledge learned source sources taught',
      answer: (slash: Slash) =>
        `I answer from sources: files, web pages, and questions with their answers. ${slash('source list')} shows all that I have.`,
    },
    person: {
      asked: 'chat contact reach speak talk write + colleague human people person somebody someone',
      addressed: 'human',
      answer: (slash: Slash) =>
        `Press **${thread.buttons.person}** below an answer: then I stay quiet in that thread and notify your colleagues. If there is no such button, a manager has to turn it on first with ${slash('handover on')}.`,
    },
    stopping: {
      asked: 'abort cancel interrupt stop + answer answering answers reply typing writing you',
      addressed: 'abort interrupt interrupting interrupts stop stopped stopping stops',
      answer: (slash: Slash) =>
        `Press **${thread.buttons.stop}** below the answer while I write it, or use ${slash('session stop')}. The person who asked can stop it, and so can managers.`,
    },
    languages: {
      asked:
        'language languages + answer reply speak understand you; ask question questions speak talk type understand write you + english french german spanish',
      addressed: 'english french german language languages spanish',
      answer: () =>
        'I speak English and German, as set on your platform. Ask in the language of the sources: I look for your words in them.',
    },
    following: {
      asked:
        'without unless + mention mentioned mentioning tagged; mention mentioning + always every must need',
      addressed:
        'ignore ignored ignores ignoring mention mentioned mentioning ping pinging replying respond responding responds silent tag tagged tagging',
      answer: (slash: Slash) =>
        `In direct messages and in threads where I’ve already answered, I answer without a mention; elsewhere, mention me. Managers change that for a channel with ${slash('chatbot follow')}.`,
    },
    conversations: {
      asked: 'begin fresh new reset start + chat conversation session thread',
      addressed: 'conversation conversations forget forgets forgetting memory remember remembers',
      answer: (slash: Slash) =>
        `Mention me outside any thread: each thread is a conversation of its own. Inside a thread, ${slash('session new')} starts a new one, and ${slash('session delete')} deletes a conversation.`,
    },
    privacy: {
      asked:
        'who + read reads see sees + ask chat chats conversation conversations message messages say write',
      addressed: 'confidential confidentially privacy private privately secret',
      answer: () =>
        'Whoever can read the channel or thread can read what you write to me there. Nobody else in Slack or Discord can read your direct messages with me, not even managers. The people who run this bot can.',
    },
    asking: {
      asked: 'ask + question questions you',
      addressed: '',
      answer: (slash: Slash) =>
        `Mention me in a channel and write your question after it, write to me directly, or use ${slash('ask')}. In the thread of an answer, you can go on without a mention.`,
    },
  },
};

/** Files beside a question. */
const attachments = {
  alone: (names: readonly string[]) =>
    names.length === 1 ? `What is in ${names[0]}?` : `What is in the files ${and(names)}?`,
  unread: (files: readonly string[]) => `📎 Not read: ${files.join(' · ')}`,
  tooMany: (max: number) => `I read up to ${max} files with a question.`,
  picture: 'I don’t look at pictures here.',
  sound: 'I don’t listen to voice notes here.',
  unsupported: 'The chatbot service takes no files with a question.',
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
    `That isn’t one of the servers we share that have a chatbot: ${and(servers)}.`,
  onlyDirect:
    'That is for direct messages on Discord. Here, the chatbot of this workspace answers.',
  asking:
    'I don’t answer you here: managers have chosen who may ask me, and where, with the command “chatbot access”.',
  spent: {
    person: (when: string) =>
      `You have asked as many questions as one person may ask within 24 hours. You can ask again from ${when}.`,
    channel: (when: string) =>
      `This channel’s questions for 24 hours are used up. You can ask here again from ${when}.`,
    workspace: (when: string) =>
      `This workspace’s questions for 24 hours are used up. You can ask again from ${when}.`,
  },
  outsider: {
    guest:
      'I don’t answer guests here. A manager can change that with the command “chatbot guests”.',
    stranger:
      'I don’t answer people from other workspaces here. A manager can change that with the command “chatbot guests”.',
    unknown:
      'I couldn’t find out whether you belong to this workspace, so I can’t do that now. Please try again in a moment.',
  },
};

export const texts = {
  attachments,
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
    `I was restarted while ${command} was running. I won’t run it again: please check with ${check} what it did.`,
  askInterrupted: (command: string) =>
    `I was restarted while ${command} was running. If your question is not in the channel, or stays without an answer, please ask again.`,
  keep: 'Cancel',
  secondLabel: 'Yes, a second one',
  kept: 'Nothing was changed.',
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
  aboutBot,
  thread,
  handOver,
  failures,
  forms,
  titles,
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
    context: 'Said before',
    forumTags: 'Tags of the forum',
    unsure: 'When unsure',
    channel: 'Channel',
    people: 'People',
  },

  source,
  tag,
  agent,
  chatbot,
  session,
  gaps: {
    count: (amount: number) =>
      count(amount, {
        one: 'question without a helpful answer',
        other: 'questions without a helpful answer',
      }),
    refused: 'no answer found',
    unhelpful: 'rated “Not helpful”',
    remark: (said: string) => `“${said}”`,
    nearest: (title: string) => `closest: ${title}`,
    also: (question: string) => `also: ${question}`,
    answer: (number: number) => `Answer ${number}`,
    taken: (name: string) =>
      `${name} has answered this question or is about to, so nothing was changed. You wrote:`,
    askedAnew: (amount: number) =>
      `I’m answering ${amount > 1 ? `the ${amount} questions` : 'the question'} again, and I’ll tell ${amount > 1 ? 'the people' : 'the person'} who asked.`,
    elsewhere: (amount: number) =>
      `${count(amount, { one: 'more question', other: 'more questions' })} in conversations that you can’t read`,
  },
  /** Pages in the browser, for whoever installs the app in Slack. */
  install: {
    done: (workspace: string) => `Causeway is installed in ${workspace}`,
    next: 'Invite the bot to a channel in Slack, and mention it there with a question.',
    granted: 'It may:',
    cancelled: 'Causeway was not installed',
    cancelledHint: 'You cancelled. You can start again at any time.',
    failed: 'Causeway could not be installed',
    otherBrowser:
      'This page was opened too late, or in a different browser from the one you started in. Start again.',
    refused: (code: string) => `Slack refused it (${code}). Start again.`,
    later: 'Something went wrong that is not your fault. Start again in a few minutes.',
    again: 'Start again',
  },
  /** Slack’s one command without a word opens a menu of all commands. */
  menu: {
    choose: 'Choose a command',
    meant: (command: string) => `Did you mean ${command}?`,
    asks: (ask: string) =>
      `To ask me that, type ${ask}, or mention me with your question in a channel.`,
    head: (ask: string, help: string) =>
      `What would you like to do? Choose a command, or type it: ${ask} and a question, for example. ${help} explains them all.`,
  },
  help: {
    heading:
      'Mention me with a question, and I’ll answer in a thread. You can also use these commands:',
    forManagers: 'You’re a manager here, so you can change things too.',
    forEveryone: 'Managers can also change things.',
    inShort: (commands: string, more: string) =>
      `Ask me a question: mention me in a channel, or write to me directly. I answer in a thread from what I’ve been taught, and list my sources. You can ask more in that thread without mentioning me.\n\nThere are commands too, here or after a mention:\n\n${commands}\n\n${more} lists everything you can do.`,
  },
};
