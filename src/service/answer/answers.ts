import { type Citation, splitContext } from '../../shared/api/session.ts';
import { sum } from '../../shared/primitives/iterables.ts';
import { countTokens } from '../ingestion/passages.ts';
import { toUnits } from '../ingestion/units.ts';
import type { EmbedQuery } from '../retrieval/embedder.ts';
import type { Hit } from '../retrieval/retrieve.ts';
import { tokenizeQuery, toPreviousQuery, toSearched } from '../retrieval/search-query.ts';
import { isCapital, joinGroups, tokenize, words, wordsWithin } from '../retrieval/tokenize.ts';
import type { AgentRecord } from '../store/agent-store.ts';
import type { DocumentStore } from '../store/document-store.ts';
import type { MessageMeta } from '../store/message-store.ts';
import type { StoredPassage } from '../store/passage-store.ts';
import type { Store } from '../store/store.ts';
import { AnswerError } from '../model/answer-errors.ts';
import { isGerman, textsFor } from './answer-texts.ts';
import type { ChatMessage } from '../model/chat-request.ts';
import type { TokenUsage } from '../model/completion.ts';
import { createPacing, type Pace } from './deltas.ts';
import { answerFromPassages, isWrittenAnswer, merge, quoteTalk, weigh } from './extractive.ts';
import { createFence } from './fence.ts';
import type { LanguageModel } from '../model/language-model.ts';
import {
  createMarkerFilter,
  type NumberedPassage,
  toCitations,
  toCited,
  unfiltered,
} from './markers.ts';
import {
  type AskedQuestion,
  type PromptMaterial,
  readDocuments,
  toPrompt,
  toRoom,
} from './prompt.ts';
import type { Rank, Ranked } from './ranker.ts';
import { extractiveModel } from '../model/models.ts';

export interface Answers {
  /** How many answered messages of the session an answer can use. */
  historyTurns: number;
  /** @throws {AnswerError} here or from the deltas */
  begin(
    question: AskedQuestion,
    signal: AbortSignal,
  ): Promise<{ meta: MessageMeta; deltas: AsyncGenerator<string, AnswerOutcome> }>;
}

export interface AnswerOutcome {
  finishReason: 'stop' | 'length';
  /** By marker, such as `1.2`. */
  citations: Record<string, Citation>;
  /** Known only when the answer ends. */
  meta?: Pick<MessageMeta, 'model' | 'actual_token_distribution' | 'unanswered' | 'weak' | 'cited'>;
}

/** The most messages of a session that an answer uses; a model reads those that its context allows. */
const maxTurns = 50;

/** The model name for an agent that replies with its fixed message. */
const preCannedModel = 'pre-canned';

/** Without `model`, an answer quotes the best sentences of the passages, at reading speed. */
export function createAnswers(parts: {
  documents: Pick<DocumentStore, 'get'>;
  sources: Pick<Store['sources'], 'get'>;
  embedQuery: EmbedQuery;
  rank: Rank;
  model: LanguageModel | undefined;
  pace: Pace;
  /** A new name for the fence of each prompt. */
  createFenceName: () => string;
}): Answers {
  const {
    documents: documentStore,
    sources,
    embedQuery,
    rank,
    model,
    pace,
    createFenceName,
  } = parts;

  const toPaced = createPacing(pace);

  async function* show(text: string, { isWatched }: AskedQuestion, signal: AbortSignal) {
    if (isWatched) yield* toPaced(text, signal);
    else yield text;
  }

  /** A long answer that somebody taught was split into passages: the best hit gets all of it. */
  async function withWholeAnswer(
    hits: Hit[],
    { query, chatbot }: Pick<AskedQuestion, 'query' | 'chatbot'>,
  ): Promise<Hit[]> {
    const [best, ...others] = hits;
    if (best?.passage.source.type !== 'qa' || !isWrittenAnswer(best, query)) return hits;
    const { passage } = best;
    const source = await sources.get(passage.source.uuid, chatbot.owner);
    const text = source?.meta.answer ?? passage.text;
    return [{ ...best, passage: { ...passage, text } }, ...others];
  }

  async function* answerWithSentences(
    question: AskedQuestion & { sent: string },
    hits: Hit[],
    signal: AbortSignal,
  ): AsyncGenerator<string, AnswerOutcome> {
    const { chatbot, query, history } = question;
    const said = quoteTalk(query, [...history.map((message) => message.query), question.sent]);
    const { showCitations } = chatbot;
    const { text, citations } = answerFromPassages(query, hits, { showCitations, said });
    yield* show(text, question, signal);
    const { meta: { unanswered, ...meta } = {} } = toFound(citations, hits, chatbot);
    // What people said may answer it, so it is not left to managers.
    const isWeak = showCitations && (weigh(hits) === 'weak' || (unanswered && said));
    return {
      finishReason: 'stop',
      citations,
      meta: { ...meta, ...(!said && unanswered && { unanswered }), ...(isWeak && { weak: true }) },
    };
  }

  async function* answerWithMessage(
    question: AskedQuestion,
    { settings }: AgentRecord,
    signal: AbortSignal,
  ): AsyncGenerator<string, AnswerOutcome> {
    yield* show(settings.default_message, question, signal);
    return { finishReason: 'stop', citations: {} };
  }

  return {
    historyTurns: maxTurns,
    async begin(sent, signal) {
      const { chatbot, session, history, documents } = sent;
      // The search uses only the question, without what people said before.
      const question = { ...sent, query: toAskedText(sent), sent: sent.query };
      const previousQuery = toPreviousQuery(history.slice(-2).map(toAskedText));
      const searched = { query: question.query, previousQuery };
      const embedded = await embedQuery(searched, signal);
      const ranked = await rank({
        ...searched,
        embedded,
        chatbot: session.chatbot,
        owner: chatbot.owner,
        lastAgent: history.at(-1)?.meta.agent?.uuid,
        isRead: model !== undefined,
        documents:
          model === undefined
            ? [...documents.remembered, ...documents.added].map(({ uuid }) => uuid)
            : [],
      });
      signal.throwIfAborted();
      const { agent, hits, documentHits } = ranked;
      if (agent === undefined) throw new AnswerError('no_agent_enabled');
      if (agent.type === 'pre-canned') {
        const meta = toMeta(ranked, preCannedModel);
        return { meta, deltas: answerWithMessage(question, agent, signal) };
      }
      if (model === undefined) {
        const meta = toMeta(ranked, extractiveModel);
        const found = await withWholeAnswer(merge(documentHits, hits), question);
        return { meta, deltas: answerWithSentences(question, found, signal) };
      }
      const meta = toMeta(ranked, agent.settings.model ?? model.defaultModel);
      if (!mayAsk(sent, ranked, embedded !== undefined)) {
        const refusal = toMeta(ranked, extractiveModel);
        return { meta: refusal, deltas: answerWithSentences(question, hits, signal) };
      }
      const fence = createFence(createFenceName());
      const read = await readDocuments(documentStore, chatbot.owner, documents);
      const asked = { question: sent, agent, hits, fence, documents: read };
      return { meta, deltas: answerWithModel(model, asked, signal) };
    },
  };
}

/**
 * Whether a model is asked. Without evidence in the sources it could only guess. But it also answers from
 * files and from what was said before, where words alone decide nothing (a greeting, a search by
 * meaning), and for an agent that has no sources.
 */
function mayAsk(
  { query, documents, history }: AskedQuestion,
  { hits, hasSources }: Ranked,
  isEmbedded: boolean,
): boolean {
  const hasOther =
    history.some(({ meta }) => meta.model !== extractiveModel) ||
    splitContext(query).context !== undefined ||
    documents.added.length + documents.remembered.length > 0;
  const hasWords = tokenizeQuery(toAskedText({ query })).length > 0;
  return hasOther || isEmbedded || !hasSources || !hasWords || weigh(hits) !== 'none';
}

/** The model's answer as it streams. Of the markers, only those that refer to a passage stay. */
async function* answerWithModel(
  model: LanguageModel,
  asked: PromptMaterial & { question: AskedQuestion },
  signal: AbortSignal,
): AsyncGenerator<string, AnswerOutcome> {
  const { question, agent } = asked;
  const contextTokens = await model.contextTokens(agent.settings.model, signal);
  const room = toRoom(contextTokens, model.maxTokens);
  const { messages, passages } = toPrompt(question, asked, room);
  const markers = question.chatbot.showCitations
    ? createMarkerFilter(new Set(passages.map(({ marker }) => marker)))
    : unfiltered;
  const completion = model.complete(
    {
      messages,
      model: agent.settings.model,
      temperature: agent.settings.temperature,
    },
    signal,
  );
  let reply = '';
  try {
    for (;;) {
      const { done, value } = await completion.next();
      const text = done ? markers.end() : markers.push(value);
      if (text !== '') {
        reply += text;
        yield text;
      }
      if (!done) continue;
      if (reply === '') throw new AnswerError('model_gave_nothing');
      const cited = passages.filter(({ marker }) => markers.used.has(marker));
      const citations = toCitations(cited);
      const caution = toUnconfirmed(reply, asked.question, cited);
      if (caution !== '') yield caution;
      const usage = value.usage ?? countUsage(messages, reply);
      const meta = {
        model: value.model,
        actual_token_distribution: usage,
        ...toFound(citations, asked.hits, question.chatbot).meta,
      };
      return { finishReason: value.finishReason, citations, meta };
    }
  } finally {
    // If the reader leaves early, the model stops too.
    await completion.return({ finishReason: 'stop', model: model.defaultModel });
  }
}

/** Marks below an answer what it says beyond the passages that it cites; empty if there is nothing. */
function toUnconfirmed(
  reply: string,
  question: AskedQuestion,
  cited: readonly NumberedPassage[],
): string {
  const query = toAskedText(question);
  const passages = cited.map(({ passage }) => passage);
  const sentences = findUnconfirmed(reply, query, passages);
  if (sentences.length === 0) return '';
  return `\n\n${textsFor(query).unconfirmed(sentences.map((each) => `“${each}”`))}`;
}

const maxUnconfirmed = 3;

/**
 * The sentences of an answer whose names and numbers are in none of the passages that it cites. A
 * sentence that has one of them there, or none at all, is left out, and so are the question's own names.
 * Without a marker, it has to have a number: it may be a courtesy.
 */
function findUnconfirmed(answer: string, query: string, cited: readonly StoredPassage[]): string[] {
  if (cited.length === 0) return [];
  const texts = cited.flatMap(({ text, headings, source }) => [text, source.title, ...headings]);
  const all = texts.join('\n');
  const digits = words(all).flatMap((word) => numberWords.get(word) ?? []);
  const known = new Set([...tokenize(all), ...digits]);
  const asked = new Set(tokenize(query));
  // There, every noun has a capital.
  const hasNames = !isGerman(answer);
  return toUnits(answer.replaceAll(stepPattern, '').replaceAll(markersBehindPattern, ' $2$1'))
    .filter(({ kind }) => kind !== 'code')
    .filter(({ text }) => {
      const sentence = joinGroups(text.replaceAll(markerPattern, ''));
      const numbers = words(sentence).filter((word) => /\p{N}/u.test(word));
      const names = hasNames ? wordsWithin(sentence).filter(isCapital) : [];
      if (numbers.length === 0 && !text.match(markerPattern)) return false;
      const facts = [...names, ...numbers]
        .flatMap((word) => tokenize(word).slice(0, 1))
        .filter((token) => !asked.has(token));
      return facts.length > 0 && !facts.some((token) => known.has(token));
    })
    .map(({ text }) => text.replaceAll(markerPattern, '').trim())
    .slice(0, maxUnconfirmed);
}

const markerPattern = /\[[\d.]+\]/gu;
/** Markers behind the end of the sentence that they belong to. */
const markersBehindPattern = /(?<![.!?])([.!?]+)[ \t]*(\[[\d.]+\](?:[ \t]*\[[\d.]+\])*)/gu;
/** How a step begins: “1.”, “**1.”, “Step 1:” */
const stepPattern = /^[ \t>#*•-]*(?:(?:step|schritt)[ \t])?\d{1,3}[.):][ \t]/gimu;
/** “five” → “5” */
const numberWords = new Map(
  [
    'one two three four five six seven eight nine ten eleven twelve',
    'eins zwei drei vier funf sechs sieben acht neun zehn elf zwolf',
  ].flatMap((each) => each.split(' ').map((word, index) => [word, `${index + 1}`] as const)),
);

/** What an answer cites, or that it found no source, where answers show theirs. */
function toFound(
  citations: Record<string, Citation>,
  hits: readonly Hit[],
  { showCitations }: { showCitations: boolean },
): Pick<AnswerOutcome, 'meta'> {
  if (!showCitations) return {};
  if (Object.keys(citations).length > 0) {
    const passages = hits.map(({ passage }) => passage);
    return { meta: { cited: toCited(citations, passages) } };
  }
  const { title, file_name: name } = hits[0]?.passage.source ?? {};
  const nearest = title || name;
  return { meta: { unanswered: nearest ? { nearest } : {} } };
}

/** An estimate, for servers that don't report usage. */
function countUsage(messages: readonly ChatMessage[], reply: string): TokenUsage {
  const prompt = sum(messages.map(({ content }) => countTokens(content)));
  const completion = countTokens(reply);
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
  };
}

function toAskedText({ query }: { query: string }): string {
  return toSearched(splitContext(query).query);
}

/** Who answered and, if there was a choice, how well each agent fitted. */
function toMeta({ agents: ranked }: Ranked, model: string): MessageMeta {
  const agents = ranked.map(({ uuid, name, fit }) => ({
    uuid,
    name,
    fit: Math.round(fit * 100) / 100,
  }));
  const [{ uuid, name } = { uuid: '', name: '' }] = agents;
  if (agents.length === 1) return { agent: { uuid, name }, model };
  return { agent: { uuid, name }, agents, model };
}
