import { type Message, replyFailure } from '../../api/message.ts';
import { splitContext } from '../../api/query-context.ts';
import type { Session } from '../../api/session.ts';
import type { TextFile, ThreadAddress } from '../../conversation/ports.ts';
import { type ActionContext, defineAction } from '../command.ts';
import { withShowAll } from '../fold.ts';
import { escapeMarkdown, quote } from '../markdown.ts';
import { pageOption, renderPage, toPage } from '../pages.ts';
import { recognizeProblem, translateEnd } from '../../messages/problem.ts';
import { withoutTurns } from '../../primitives/direction.ts';
import { shorten } from '../../primitives/shorten.ts';
import { chooseSession, maySee, sessionOption } from './choose-session.ts';

const maxQueryLength = 300;
const maxResponseLength = 700;
const maxLabelLength = 100;
const messagesAtOnce = 4;

/** Says how many messages there are, and whether the thread is handed over to people. */
async function summarize(
  at: ThreadAddress | undefined,
  messages: number,
  { threads, texts }: ActionContext,
): Promise<string> {
  const counted = texts.session.messages(messages);
  const by = at && (await threads.handedOverBy(at));
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
  async *run(context, { from, to, page }) {
    const chatbot = await context.bindings.chatbotFor(context);
    const sessions = await context.client.listSessions(
      chatbot,
      {
        ...(from && { start_timestamp: new Date(from.startMs).toISOString() }),
        ...(to && { end_timestamp: new Date(to.endMs).toISOString() }),
      },
      context.signal,
    );
    const places = await context.threads.threadsBySession();
    const newest = sessions.toSorted((a, b) => b.created_at.localeCompare(a.created_at));
    const shown = new Set(toPage(newest, page).shown);
    yield renderPage(context, {
      command: 'session',
      action: 'list',
      heading: context.texts.session.count(sessions.length),
      lines: await Promise.all(
        newest.map(async (session) =>
          shown.has(session) ? renderSession(session, places.get(session.uuid), context) : '',
        ),
      ),
      page,
    });
  },
});

/** One line: the first question with a link to its thread for whoever may see it, the time and the id. */
async function renderSession(
  { uuid, created_at: created }: Session,
  at: ThreadAddress | undefined,
  context: ActionContext,
): Promise<string> {
  const { texts, formats, threads, channel } = context;
  const parts = [`${formats.time(created)} · \`${uuid}\``];
  if (at?.channel === channel) parts.push(texts.session.inThisChannel);
  if (at ? maySee(at, context) : context.isManager) {
    const [question, link] = await Promise.all([
      firstQuestion(uuid, context),
      at && threads.linkTo(at),
    ]);
    const label = question === undefined ? texts.session.nothingAsked : escapeMarkdown(question);
    parts.unshift(link === undefined ? label : `[${label}](${link})`);
  }
  return `- ${parts.join(' · ')}`;
}

/** In one line; undefined if nothing was asked, or if the service doesn't tell. */
async function firstQuestion(
  uuid: string,
  { client, signal }: ActionContext,
): Promise<string | undefined> {
  try {
    const query = { limit: '1', order: 'asc' } as const;
    const [first] = await client.call('listMessages', { params: { uuid }, query, signal });
    if (!first) return undefined;
    return shorten(splitContext(first.query).query.replaceAll(/\s+/g, ' '), maxLabelLength);
  } catch {
    return undefined;
  }
}

export const show = defineAction({
  description: 'session show',
  shownTo: 'private',
  options: { session: sessionOption, page: pageOption },
  async *run(context, { session, page }) {
    const chosen = await chooseSession(context, session);
    if ('problem' in chosen) {
      yield chosen.problem;
      return;
    }
    const { formats, isWhole } = context;
    const messages = await context.client.listMessages(chosen.uuid, context.signal);
    const cut = (text: string, maxLength: number) => (isWhole ? text : shorten(text, maxLength));
    const use = { command: 'session', action: 'show' };
    const shown = renderPage(context, {
      ...use,
      heading: await summarize(chosen.at, messages.length, context),
      lines: messages.map((message) =>
        [
          `\n${formats.time(message.created_at)}`,
          quote(cut(splitContext(message.query).query, maxQueryLength)),
          `\n${cut(renderResponse(message, context), maxResponseLength)}`,
        ].join('\n'),
      ),
      page,
      pageSize: messagesAtOnce,
    });
    yield messages.some(isLong) && !isWhole ? withShowAll(context, use, shown) : shown;
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
  async *run(context, { session, format = 'markdown' }) {
    const chosen = await chooseSession(context, session);
    if ('problem' in chosen) {
      yield chosen.problem;
      return;
    }
    const messages = await context.client.listMessages(chosen.uuid, context.signal);
    const file = exportMessages(chosen.uuid, messages, format, context);
    yield { markdown: context.texts.session.exported(messages.length), files: [file] };
  },
});

function renderResponse(message: Message, { texts }: Pick<ActionContext, 'texts'>): string {
  return translateEnd(message.response, recognizeProblem(replyFailure(message)), texts);
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
