import type { Session } from '../../api/session.ts';
import { type ActionContext, type Command, defineAction } from '../command.ts';
import type { CommandTools } from '../command-tools.ts';
import { askFirst } from '../confirm.ts';
import { quote, shorten } from '../markdown.ts';
import { renderPage } from '../pages.ts';
import { english } from '../texts/en.ts';
import { exportMessages } from './export-messages.ts';
import { startSession } from './start-session.ts';

const says = english.descriptions;

const longestQuery = 300;
const longestResponse = 700;
const messagesAtOnce = 4;

const page = {
  type: 'number',
  description: says['page'],
  min: 1,
  max: 10_000,
  whole: true,
} as const;
const sessionOption = {
  type: 'reference',
  to: 'session',
  description: says['session name or here'],
} as const;

/** `/session`: what was said to the chatbot. */
export function createSessionCommand(tools: CommandTools): Command {
  const { client, bindings, threads } = tools;

  /** The uuid of the session that was named, or else of the thread's, or why there is none to be seen. */
  async function choose(
    context: ActionContext,
    named: Session | undefined,
  ): Promise<{ uuid: string } | { problem: string }> {
    const { texts, thread, slash, isManager } = context;
    const uuid = named?.uuid ?? (thread && (await threads.sessionIn(thread)));
    if (uuid === undefined) return { problem: texts.session.noneHere(slash('session list')) };
    if (isManager) return { uuid };
    const at = (await threads.threadsBySession()).get(uuid);
    const isHere =
      at?.platform === context.platform &&
      at.workspace === context.workspace &&
      at.channel === context.channel;
    return isHere ? { uuid } : { problem: texts.session.elsewhere };
  }

  return {
    name: 'session',
    description: says['session'],
    actions: {
      new: defineAction({
        description: says['session new'],
        shownTo: 'private',
        options: {
          question: { type: 'text', description: says['session question'], maxLength: 2000 },
        },
        run: (context, { question }) => startSession(tools, context, question),
      }),
      list: defineAction({
        description: says['session list'],
        shownTo: 'private',
        options: {
          from: { type: 'date', description: says['session from'] },
          to: { type: 'date', description: says['session to'] },
          page,
        },
        async *run(context, { from, to, page }) {
          const chatbot = await bindings.chatbotFor(context);
          const sessions = await client.listSessions(
            chatbot,
            {
              ...(from && { start_timestamp: new Date(from.startMs).toISOString() }),
              ...(to && { end_timestamp: new Date(to.endMs).toISOString() }),
            },
            context.signal,
          );
          const places = await threads.threadsBySession();
          const newest = sessions.toSorted((a, b) => b.created_at.localeCompare(a.created_at));
          yield renderPage(context, {
            command: 'session',
            action: 'list',
            heading: context.texts.session.count(sessions.length),
            lines: newest.map(({ uuid, created_at: created }) => {
              const isHere = places.get(uuid)?.channel === context.channel;
              const here = isHere ? ` · ${context.texts.session.inThisChannel}` : '';
              return `- ${context.formats.time(created)} · \`${uuid}\`${here}`;
            }),
            page,
          });
        },
      }),
      show: defineAction({
        description: says['session show'],
        shownTo: 'private',
        options: { session: sessionOption, page },
        async *run(context, { session, page }) {
          const chosen = await choose(context, session);
          if ('problem' in chosen) {
            yield chosen.problem;
            return;
          }
          const { texts, formats } = context;
          const messages = await client.listMessages(chosen.uuid, context.signal);
          yield renderPage(context, {
            command: 'session',
            action: 'show',
            heading: texts.session.messages(messages.length),
            lines: messages.map(({ query, response, created_at: created }) =>
              [
                `\n${formats.time(created)}`,
                quote(shorten(query, longestQuery)),
                `\n${shorten(response, longestResponse)}`,
              ].join('\n'),
            ),
            page,
            pageSize: messagesAtOnce,
          });
        },
      }),
      export: defineAction({
        description: says['session export'],
        shownTo: 'private',
        options: {
          session: sessionOption,
          format: {
            type: 'choice',
            choices: ['markdown', 'json'],
            description: says['session format'],
          },
        },
        async *run(context, { session, format = 'markdown' }) {
          const chosen = await choose(context, session);
          if ('problem' in chosen) {
            yield chosen.problem;
            return;
          }
          const messages = await client.listMessages(chosen.uuid, context.signal);
          const file = exportMessages(chosen.uuid, messages, format, context);
          yield { markdown: context.texts.session.exported(messages.length), files: [file] };
        },
      }),
      stop: defineAction({
        description: says['session stop'],
        shownTo: 'private',
        options: { session: sessionOption },
        async *run(context, { session }) {
          const { texts, requester } = context;
          const chosen = await choose(context, session);
          if ('problem' in chosen) yield chosen.problem;
          else {
            const at = (await threads.threadsBySession()).get(chosen.uuid);
            const problem = at ? threads.stop(at, requester) : texts.session.notOurs;
            yield problem ?? texts.session.stopped;
          }
        },
      }),
      retry: defineAction({
        description: says['session retry'],
        shownTo: 'private',
        options: { session: sessionOption },
        async *run(context, { session }) {
          const { texts, requester } = context;
          const chosen = await choose(context, session);
          if ('problem' in chosen) yield chosen.problem;
          else {
            const at = (await threads.threadsBySession()).get(chosen.uuid);
            const problem = at ? await threads.retry(at, requester) : texts.session.notOurs;
            yield problem ?? texts.session.retried;
          }
        },
      }),
      delete: defineAction({
        description: says['session delete'],
        shownTo: 'private',
        managersOnly: true,
        options: { session: sessionOption },
        async *run(context, { session }) {
          const { texts, confirmed, signal } = context;
          const chosen = await choose(context, session);
          if ('problem' in chosen) {
            yield chosen.problem;
            return;
          }
          const { uuid } = chosen;
          const messages = await client.listMessages(uuid, signal);
          if (!confirmed) {
            yield askFirst(context, {
              command: 'session',
              action: 'delete',
              question: texts.session.deleteAsk(`\`${uuid}\``, messages.length),
              label: texts.deleteLabel,
              values: { session: uuid },
            });
            return;
          }
          await client.deleteSession(uuid, signal);
          const at = (await threads.threadsBySession()).get(uuid);
          if (at) await threads.forget(at);
          context.changed({ what: { uuid }, before: { messages: messages.length } });
          yield `🗑️ ${texts.deleted(`\`${uuid}\``)}`;
        },
      }),
    },
  };
}
