import { createFormats } from './formats.ts';

const { and, count, plural, size } = createFormats('en-GB');

const slackApps = 'at https://api.slack.com/apps under “OAuth & Permissions”';
const reinstall = `${slackApps}, then reinstall the app.`;
const grant = 'A server manager can grant it in the channel’s settings under “Permissions”.';

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

const printAnew = 'Print it to a new PDF, or save it as .docx or .txt, and add that.';

interface Host {
  host: string;
}

/** A page and what its host answered, such as `404 Not Found`. */
interface AnsweredPage {
  address: string;
  status: string;
}

const makeRoom =
  'Delete sources or sessions, or ask the people who run the service to raise OWNER_MAX_MB.';

/** What went wrong, in English, by the codes that our errors carry. */
export const problems = {
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
  slack_file_canvas: 'I can’t read canvases and lists. Copy the text into a message or a file.',
  voice_not_transcribed: 'This voice note could not be transcribed.',
  slack_file_over_storage: 'Slack hides this file because the workspace is over its storage limit.',
  slack_file_nowhere: 'Slack doesn’t say where this file is.',
  slack_file_redirects: 'Slack redirected the download of this file too many times.',
  slack_files_forbidden: `Slack doesn’t let me read files. The people who run this bot need to add files:read ${reinstall}`,
  slack_edit_refused: 'Slack doesn’t let me edit this message.',
  slack_delete_refused: 'Slack doesn’t let me delete this message.',
  slack_edit_too_late: 'This message is too old to be edited in this workspace.',
  slack_message_limit:
    'Slack accepts no more messages in this workspace for now, because too many were sent. Please try again in a few minutes.',
  slack_edit_streaming: 'Slack doesn’t let me edit this message while it streams.',
  slack_stream_ended: 'Slack has ended the stream of this message.',
  slack_stream_stopped: 'The stream of this message was stopped.',
  slack_stream_refused: 'Slack doesn’t let me stream messages.',
  slack_token_refused: `Slack refused SLACK_BOT_TOKEN. The people who run this bot need to copy the “Bot User OAuth Token” (xoxb-…) ${slackApps}. It changes when the app is reinstalled.`,
  slack_token_not_bot: `SLACK_BOT_TOKEN isn’t a bot’s token. Copy the “Bot User OAuth Token” (xoxb-…) ${slackApps}.`,
  slack_sockets_full:
    'Slack lets an app open ten sockets, and all are open. Each process opens two: run at most five, or have Slack send events by HTTP (SLACK_SIGNING_SECRET).',
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
    'Discord shows the bot only direct messages, mentions, and replies that ping it, so it can’t follow threads without a mention. To change that, switch on “Message Content Intent” at https://discord.com/developers/applications under “Bot”, then restart.',
  discord_more_shards: ({ shards }: { shards: number }) =>
    `Discord wants the bot to have more shards. Set DISCORD_SHARDS to auto, or to at least ${shards} in all.`,
  discord_gateway_closed: ({ code }: { code: number }) =>
    `Discord’s gateway closed the connection for good (${code}).`,
  discord_forbidden: 'Discord doesn’t let me do that here.',
  discord_not_author: 'Only the author of a message can edit it.',
  discord_edit_too_often: 'Discord limits how often I can edit a message this old.',
  discord_abuse: 'Discord’s protection against abuse refused the message.',
  discord_direct_refused:
    'I can’t send you direct messages. Allow them in your privacy settings for this server, or unblock me.',
  discord_auto_mod: 'The server’s AutoMod refused my message. A moderator can change its rules.',
  discord_harmful_link: 'Discord considers a link in my message harmful and refused the message.',
  discord_tag_gone: 'The tag no longer exists in this forum.',
  discord_tags_full: 'The post has five tags already, and Discord allows no more.',
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
  idempotency_key_invalid:
    'Idempotency-Key: must be 1 to 255 visible ASCII characters, such as a UUID',
  idempotency_key_taken:
    'Idempotency-Key: this session has another query with this key: send each query with a key of its own',
  idempotency_key_unknown: 'This session has no query with this Idempotency-Key',
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
    `The body’s Content-Encoding is not supported: send it uncompressed, or with one of ${accepted}`,
  body_coding_broken:
    'The body can’t be decompressed: send it whole, and compressed as its Content-Encoding says',
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
  upload_several: 'file: only one file is accepted at a time: upload them one by one',
  upload_empty: ({ name }: { name: string }) => `file: ${name} is empty`,
  upload_too_large: ({ mebibytes }: { mebibytes: number }) =>
    `file: is too large: up to ${mebibytes} MB are allowed, split it`,
  upload_refused: ({ name, kind }: { name: string; kind: RefusedKind }) =>
    `file: file type not allowed: ${name} is ${refusedKinds[kind]}. Send a document that holds text`,
  upload_unreadable: ({ reason }: { reason: string }) => `file: ${reason}`,
  client_left: 'The client left before its query was accepted',

  // Why a source could not be read: its file
  document_empty: 'The file is empty.',
  document_without_text: 'The file contains no text.',
  document_too_long: ({ characters, max }: { characters: number; max: number }) =>
    `The document is too long: ${characters} characters of text, ${max} are allowed. Split it into parts.`,
  document_too_large: ({ bytes, max }: { bytes: number; max: number }) =>
    `The file is too large: ${size(bytes)}, up to ${size(max)} are allowed.`,
  document_kind_refused: ({ kind }: { kind: RefusedKind }) =>
    `file type not allowed: this is ${refusedKinds[kind]}. Add PDF, Word, PowerPoint, Excel, OpenDocument, EPUB, text, Markdown, HTML, CSV, JSON, RTF or e-mail files.`,
  document_protected: 'The file is protected by a password. Save it without one and add it again.',
  source_file_gone: 'The file is no longer there. Delete this source and upload it again.',
  storage_full: ({ used, max }: { used: number; max: number }) =>
    `There is no storage left for this: stored data takes up ${used} of ${max} MB. ${makeRoom}`,
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
  archive_damaged:
    'The file is damaged: it can’t be unpacked. Save it again, then add the new copy.',
  xml_broken: 'The file is damaged: its XML is not valid.',
  xml_too_deep: ({ max }: { max: number }) => `The file is nested more than ${max} levels deep.`,
  json_invalid: ({ reason }: { reason: string }) => `The file is not valid JSON: ${reason}.`,
  json_too_deep: ({ max }: { max: number }) => `The JSON is nested more than ${max} levels deep.`,
  workbook_without_texts:
    'The workbook is damaged: the texts of its cells are missing. Save it again, then add the new copy.',
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
    `The PDF’s text can’t be read: its characters are numbers in a table that the file does not include (${tables.join(', ')}). ${printAnew}`,
  pdf_garbled: `The PDF’s text can’t be read: its fonts don’t say which characters they draw. ${printAnew}`,
  pdf_without_text:
    'The PDF contains only images, no text. Run text recognition (OCR) on it and add it again.',
  pdf_damaged: 'The PDF is damaged: it can’t be read. Save it again, then add the new copy.',

  // Why a source could not be read: its web page
  address_invalid: ({ address }: { address: string }) =>
    `“${address}” is not an address. Give one like https://example.com/page.`,
  address_not_web: ({ address }: { address: string }) =>
    `${address} is not a web page: the address must begin with http:// or https://.`,
  address_has_password: 'The address contains a user name or password. Leave them out.',
  address_port: ({ port }: { port: string }) =>
    `Port ${port} is not for web pages. Check the address.`,
  address_video: 'YouTube videos can’t be read yet. Add the transcript as a file instead.',
  host_unknown: ({ host }: Host) => `${host} could not be found. Check the address for typos.`,
  host_lookup_failed: ({ host }: Host) => `${host} could not be looked up. Try again later.`,
  host_without_address: ({ host }: Host) => `The host ${host} could not be found.`,
  host_private: ({ host }: Host) =>
    `${host} is not a public address. Only pages on the public internet can be added; upload the page as a file instead.`,
  host_refuses: ({ host }: Host) => `${host} refuses connections. Try again later.`,
  host_broke_off: ({ host }: Host) => `${host} closed the connection early. Try again later.`,
  host_unreachable: ({ host }: Host) => `${host} can’t be reached. Try again later.`,
  host_silent: ({ host }: Host) => `${host} does not answer. Try again later.`,
  host_not_proxied: ({ host }: Host) =>
    `The proxy of the bot’s network does not connect to ${host}. Upload the page as a file instead, or ask the people who run this bot.`,
  host_certificate: ({ host, reason }: Host & { reason: string }) =>
    `${host} has no valid certificate (${reason}).`,
  host_unreadable: ({ host }: Host) => `The response of ${host} could not be read.`,
  robots_unavailable: ({ host, status }: Host & { status: number }) =>
    `${host} can’t currently say what programs may read (its robots.txt answers ${status}). Try again later.`,
  robots_forbid: ({ host, address }: Host & { address: string }) =>
    `${host} does not want programs to read ${address} (its robots.txt forbids it).`,
  page_late: ({ address, seconds }: { address: string; seconds: number }) =>
    `${address} did not arrive within ${seconds} seconds. Try again later.`,
  page_redirects: ({ address, max }: { address: string; max: number }) =>
    `${address} redirects more than ${max} times.`,
  page_missing: ({ address, status }: AnsweredPage) =>
    `${address} answers ${status}: there is no such page. Check the address.`,
  page_not_public: ({ address, status }: AnsweredPage) =>
    `${address} answers ${status}: the page is not public. Upload it as a file instead.`,
  page_failed: ({ address, status }: AnsweredPage) =>
    `${address} answers ${status}. Try again later.`,
  page_packed: ({ encodings }: { encodings: string }) =>
    `The page’s compression is not supported (${encodings}).`,
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
    'The model server refused the service’s key: the people who run the service must set LLM_API_KEY.',
  model_no_credit:
    'The model can’t answer, because its account has no credit left: the people who run the service must top it up.',
  model_unknown: ({ model }: { model: string }) =>
    `The model server does not know the model ${model}: the people who run the service must set LLM_MODEL to one that it has.`,
  model_address_wrong:
    'The model server was found, but not at this address: the people who run the service must check LLM_BASE_URL, which ends in /v1 with most servers.',
  model_redirected:
    'The model server has moved to another address: the people who run the service must check LLM_BASE_URL.',
  model_not_there:
    'The model server sent something that isn’t an answer: the people who run the service must check LLM_BASE_URL.',
  model_busy: 'The model is overloaded right now, so please ask again in a minute.',
  model_overfilled:
    'The question and its conversation are too long for the model, so please ask a shorter question or start a new conversation.',
  model_failed: 'The model server failed, so please ask again in a moment.',
  model_refused:
    'The model server did not accept the request: the people who run the service can find the reason in its log.',
  model_filtered:
    'The content filter of the model’s provider stopped this answer, so please rephrase the question.',
  model_no_room:
    'The model reached its maximum length before it came to an answer, so please ask for less at once.',
  model_gave_nothing: 'The model gave no answer, so please rephrase the question.',
  model_too_slow: 'The model took too long to answer, so please ask again.',
  model_unreachable: 'The model server could not be reached, so please ask again in a moment.',
  model_broke_off: 'The model’s answer was cut off, so please ask again.',
};
