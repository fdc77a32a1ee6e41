import { QaSourceCreate, type DataSource, sourceMeta } from '../../../shared/api/data-source.ts';
import { type ActionContext, defineAction, type Outcome } from '../command.ts';
import { askToConfirm } from '../outcomes.ts';
import { bold, escapeMarkdown, quote } from '../../conversation/markdown/plain-text.ts';
import { shorten, toComparable } from '../../../shared/primitives/text.ts';
import type { IncomingFile } from '../files.ts';
import { listSources } from '../lists.ts';
import { splitUrls } from '../runner/parse-scalar.ts';
import type { ChatbotClient } from '../../chatbot/chatbot-client.ts';
import { explainError, isChatbotError } from '../../conversation/errors.ts';
import { renderRows } from './render-source.ts';
import type { RowState, SourceRow, SourceWatch } from './source-watch.ts';
import { showRows, watchRows } from './watch-rows.ts';

const link = { type: 'text', description: 'source link', maxLength: 2048, holds: 'url' } as const;

/** Characters. */
export const maxQuestionLength = QaSourceCreate.shape.question.maxLength ?? 2000;

/** The answer that somebody writes for a question. */
export const answerOption = {
  type: 'text',
  description: 'source answer',
  required: true,
  maxLength: 6000,
  multiline: true,
} as const;

export const upload = defineAction({
  description: 'source upload',
  shortcut: { name: 'source upload shortcut', takes: 'file' },
  shownTo: 'channel',
  managersOnly: true,
  options: {
    file: {
      type: 'file',
      many: true,
      description: 'source file',
      required: true,
    },
    link,
  },
  run: (context, { file, link }) =>
    addSources(
      context,
      file.map((each) => fileSource(context, each, link)),
    ),
});

export const url = defineAction({
  description: 'source url',
  shownTo: 'channel',
  managersOnly: true,
  options: {
    url: {
      type: 'text',
      description: 'source urls',
      required: true,
      maxLength: 6000,
      multiline: true,
      holds: 'urls',
    },
  },
  run(context, { url }) {
    const { client, signal } = context;
    const addresses = new Set(splitUrls(url).map((each) => new URL(each).href));
    const sources = [...addresses].map((href) => ({
      name: href,
      add: (chatbot: string) => client.addUrlSource(chatbot, { url: href }, signal),
    }));
    return addSources(context, sources);
  },
});

export const qa = defineAction({
  description: 'source qa',
  shownTo: 'channel',
  managersOnly: true,
  options: {
    question: {
      type: 'text',
      description: 'source question',
      required: true,
      maxLength: maxQuestionLength,
    },
    answer: answerOption,
    link,
  },
  async *run(context, { question, answer, link }) {
    const known = context.confirmed ? undefined : await answerTo(question, context);
    if (known !== undefined && known !== answer.trim()) {
      const answered = quote(shorten(known, maxQuotedLength));
      yield askToConfirm(context, {
        question: context.texts.source.secondAsk(escapeMarkdown(question), answered),
        label: context.texts.secondLabel,
        isHarmless: true,
      });
      return;
    }
    yield* addSources(context, [
      {
        name: bold(question),
        add: (chatbot) =>
          context.client.addQaSource(
            chatbot,
            { question, answer, ...(link && { reference_source_link: link }) },
            context.signal,
          ),
      },
    ]);
  },
});

/** How much of an answer is quoted. */
const maxQuotedLength = 300;

/** The answer that the chatbot was taught to a question, if it was. */
async function answerTo(question: string, context: ActionContext): Promise<string | undefined> {
  const wanted = toComparable(question);
  const known = (await listSources(context))
    .map(sourceMeta)
    .find((meta) => toComparable(meta.question ?? '') === wanted);
  return known?.answer?.trim();
}

function fileSource(
  { client, fileLimits, formats, texts, signal }: ActionContext,
  file: IncomingFile,
  link: string | undefined,
): NewSource {
  const { name, size, contentType } = file;

  async function upload(chatbot: string, sent: (bytes: number) => void) {
    try {
      return await client.uploadDataSource(
        chatbot,
        {
          name,
          size,
          content: countBytes(file.read(signal), sent),
          ...(contentType && { contentType }),
          ...(link && { referenceSourceLink: link }),
        },
        signal,
      );
    } catch (error) {
      fileLimits.failed(size, error);
      throw error;
    }
  }

  return {
    name: `${bold(name)} (${formats.size(size)})`,
    size,
    problem: () => fileLimits.problemWith(size, texts, formats.size),
    add: upload,
  };
}

async function* countBytes(
  content: AsyncIterable<Uint8Array>,
  sent: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const piece of content) {
    yield piece;
    bytes += piece.byteLength;
    sent(bytes);
  }
}

/** A source to be added. */
export interface NewSource {
  /** As Markdown. */
  name: string;
  /** Bytes, of a file. */
  size?: number;
  /** Says why it can't be added, as far as that is known without the service. */
  problem?(): string | undefined;
  /**
   * Adds it. `sent` is called with the bytes sent so far.
   * @throws {ChatbotError}
   */
  add(chatbot: string, sent: (bytes: number) => void): ReturnType<ChatbotClient['addUrlSource']>;
}

/** Min milliseconds between updates of the upload progress. */
const shownMs = 1_000;

/** Adds sources one after another and shows their progress, one line each, until all have ended. */
export async function* addSources(
  context: ActionContext,
  wanted: readonly NewSource[],
  { chatbot: given, teaches }: { chatbot?: string } & Pick<SourceWatch, 'teaches'> = {},
): AsyncGenerator<string | Outcome> {
  const startedMs = context.monotonicMs();
  const rows = wanted.map(({ name }): SourceRow => ({ name, state: { kind: 'waiting' } }));
  const chatbot = given ?? (await context.bindings.chatbotFor(context));
  for (const [index, row] of rows.entries()) {
    const each = wanted[index];
    if (!each) continue;
    const problem = each.problem?.();
    if (problem !== undefined) {
      row.state = { kind: 'refused', reason: problem };
      continue;
    }
    for await (const state of addOne(context, chatbot, each)) {
      row.state = state;
      yield showRows(rows, renderRows(rows, context));
    }
  }
  yield* watchRows(context, { chatbot, rows, teaches }, { startedMs });
}

/** Shows the progress of sources, with a text below, until all have ended. */
export function watchSources(
  context: ActionContext,
  { chatbot, sources, below }: { chatbot: string; sources: readonly DataSource[]; below: string },
): AsyncGenerator<string | Outcome> {
  const rows = sources.map((source): SourceRow => {
    const name = source.title || source.file_name;
    return { name, state: { kind: 'added', source, duplicate: false } };
  });
  return watchRows(context, { chatbot, rows, below }, { startedMs: context.monotonicMs() });
}

/** Yields the state of one source: about every second until it is added or refused, and then. */
async function* addOne(
  context: ActionContext,
  chatbot: string,
  { size, add }: NewSource,
): AsyncGenerator<RowState> {
  const { sleep, signal } = context;
  const done = new AbortController();
  let sent = 0;
  let ended: RowState | undefined;
  const adding = tryToAdd(() => add(chatbot, (bytes) => (sent = bytes)), context)
    .then((state) => (ended = state))
    .finally(() => done.abort());
  // If the caller stops reading early, the failure has nowhere to go.
  adding.catch(() => undefined);

  while (!done.signal.aborted && !signal.aborted) {
    const waiting = sleep(shownMs, AbortSignal.any([done.signal, signal]));
    await waiting.catch(() => undefined);
    const isShown = size !== undefined && sent > 0;
    if (!ended) yield { kind: 'adding', ...(isShown && { sent: { bytes: sent, of: size } }) };
  }
  yield await adding;
}

async function tryToAdd(
  add: () => ReturnType<NewSource['add']>,
  context: ActionContext,
): Promise<RowState> {
  try {
    const added = await add();
    const { source, duplicate } = added;
    if (!duplicate) {
      const { uuid, title, file_name: file, type } = source;
      context.changed({ what: { uuid, name: title || file }, after: { type } });
    }
    return { kind: 'added', ...added };
  } catch (error) {
    // The chatbot itself is gone: the other sources would fail as well.
    if (isChatbotError(error, 'not_found')) throw error;
    return { kind: 'refused', reason: explainError(error, context.texts) };
  }
}
