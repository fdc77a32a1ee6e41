import {
  type Message,
  parseCitations,
  replyFailure,
  splitContext,
} from '../../../shared/api/session.ts';
import type { TextFile } from '../../conversation/thread.ts';
import { numberMarkers } from '../../conversation/reply/reply-contents.ts';
import type { SessionPlace } from '../../conversation/sessions.ts';
import { type ActionContext, defineAction, toViewer } from '../command.ts';
import { withShowAll, pageOption, renderPage, toPage } from '../outcomes.ts';
import { closeMarkdown } from '../../conversation/markdown/close-markdown.ts';
import { escapeMarkdown, quote } from '../../conversation/markdown/plain-text.ts';
import { recognizeProblem, translateEnd } from '../../../shared/problems/problem.ts';
import { shorten, withoutTurns } from '../../../shared/primitives/text.ts';
import {
  auditReading,
  chooseSession,
  findSessions,
  firstQuestion,
  type FoundSession,
  sessionOption,
} from './choose-session.ts';

const maxQueryLength = 300;
const maxResponseLength = 700;
const messagesAtOnce = 4;

/** Says how many messages there are, and whether the thread is handed over to people. */
async function summarize(
  { address, isCurrent }: SessionPlace,
  messages: number,
  { threads, texts }: ActionContext,
): Promise<string> {
  const counted = texts.session.messages(messages);
  const by = isCurrent && (await threads.handedOverBy(address));
  return by ? `${counted} · ${texts.session.withPeople(escapeMarkdown(by))}` : counted;
}

export const list = defineAction({
  description: 'session list',
  shownTo: 'private',
  options: {
    from: { type: 'date', description: 'session from' },
    to: { type: 'date', description: 'session to' },
    page: pageOption,
  },
  async run(context, { from, to, page }) {
    const chatbot = await context.bindings.chatbotFor(context);
    const sessions = await context.client.listSessions(
      chatbot,
      {
        ...(from && { start_timestamp: new Date(from.startMs).toISOString() }),
        ...(to && { end_timestamp: new Date(to.endMs).toISOString() }),
      },
      context.signal,
    );
    const found = await findSessions(context, sessions, 'list');
    const shown = new Set(toPage(found, page).shown);
    return renderPage(context, {
      heading: context.texts.session.count(found.length),
      lines: await Promise.all(
        found.map(async (each) => (shown.has(each) ? renderSession(each, context) : '')),
      ),
      page,
      isShareable: await mayShare(
        context,
        [...shown].map(({ place }) => place),
      ),
    });
  },
});

/** One line: the first question with a link to its thread, and the time; without a question, the id. */
async function renderSession(
  { session: { uuid, created_at: created }, place }: FoundSession,
  context: ActionContext,
): Promise<string> {
  const { texts, formats, threads, channel } = context;
  const [question, link] = await Promise.all([
    firstQuestion(uuid, context),
    threads.linkTo(place.address),
  ]);
  const label = escapeMarkdown(question ?? texts.session.nothingAsked);
  const parts = [
    link === undefined ? label : `[${label}](${link})`,
    formats.time(created),
    ...(question === undefined ? [`\`${uuid}\``] : []),
    ...(place.address.channel === channel ? [texts.session.inThisChannel] : []),
    ...(place.isCurrent ? [] : [texts.session.former]),
  ];
  return `- ${parts.join(' · ')}`;
}

/** Whether all these conversations may be shown to everyone where the requester is. */
async function mayShare(context: ActionContext, places: readonly SessionPlace[]): Promise<boolean> {
  const viewer = toViewer(context);
  const may = await Promise.all(
    places.map(({ address }) => context.access.may('share', viewer, { address })),
  );
  return may.every(Boolean);
}

export const show = defineAction({
  description: 'session show',
  shownTo: 'private',
  options: { session: sessionOption, page: pageOption },
  async run(context, { session, page }) {
    const chosen = await chooseSession(context, session, 'show');
    if ('problem' in chosen) return chosen.problem;
    await auditReading(context, chosen);
    const { formats, isWhole } = context;
    const messages = await context.client.listMessages(chosen.uuid, context.signal);
    const cut = (text: string, maxLength: number) => (isWhole ? text : shorten(text, maxLength));
    const shown = renderPage(context, {
      heading: await summarize(chosen.place, messages.length, context),
      lines: messages.map((message) =>
        [
          `\n${formats.time(message.created_at)}`,
          quote(cut(splitContext(message.query).query, maxQueryLength)),
          `\n${closeMarkdown(cut(renderResponse(message, context), maxResponseLength))}`,
        ].join('\n'),
      ),
      page,
      pageSize: messagesAtOnce,
      isShareable: await mayShare(context, [chosen.place]),
    });
    return messages.some(isLong) && !isWhole ? withShowAll(context, shown) : shown;
  },
});

export const exportSession = defineAction({
  description: 'session export',
  shownTo: 'private',
  options: {
    session: sessionOption,
    format: {
      type: 'choice',
      choices: ['markdown', 'json'],
      description: 'session format',
    },
  },
  async run(context, { session, format = 'markdown' }) {
    const chosen = await chooseSession(context, session, 'export');
    if ('problem' in chosen) return chosen.problem;
    await auditReading(context, chosen);
    const messages = await context.client.listMessages(chosen.uuid, context.signal);
    const file = exportMessages(chosen.uuid, messages, format, context);
    return { markdown: context.texts.session.exported(messages.length), files: [file] };
  },
});

function renderResponse(message: Message, { texts }: Pick<ActionContext, 'texts'>): string {
  const known = new Set(parseCitations(message.cite_data_json).keys());
  const { text } = numberMarkers(message.response, known);
  return translateEnd(text, recognizeProblem(replyFailure(message)), texts);
}

/** Whether a message is cut unless everything is to be shown. */
function isLong({ query, response }: Message): boolean {
  return splitContext(query).query.length > maxQueryLength || response.length > maxResponseLength;
}

/**
 * Exports a session's messages as a file: Markdown to read, or JSON with everything the service
 * stored.
 */
function exportMessages(
  session: string,
  messages: readonly Message[],
  format: 'markdown' | 'json',
  { texts, formats }: ActionContext,
): TextFile {
  if (format === 'json') {
    const text = JSON.stringify({ session, messages }, null, 2);
    return { name: `session-${session}.json`, text: `${text}\n` };
  }
  const parts = messages.map(
    (message) =>
      `## ${formats.plainTime(message.created_at)}\n\n${quote(message.query)}\n\n${renderResponse(message, { texts }).trim()}`,
  );
  const text = [`# ${texts.session.title(session)}`, ...parts].join('\n\n');
  return { name: `session-${session}.md`, text: `${withoutTurns(text)}\n` };
}
