import { sourceProgress } from '../../shared/api/data-source.ts';
import type { Access } from '../access.ts';
import { answerFromPassages } from '../answer/extractive.ts';
import type { Rank } from '../answer/ranker.ts';
import type { Handlers } from '../http/handlers.ts';
import type { EmbedQuery } from '../retrieval/embedder.ts';
import type { Store } from '../store/store.ts';
import { toUnits } from '../ingestion/units.ts';
import { tokenize } from '../retrieval/tokenize.ts';
import type { StoredPassage } from '../store/passage-store.ts';
import { textsFor } from '../answer/answer-texts.ts';

const maxQuestions = 3;
/** Of a long source, the first ones are enough. */
const maxPassages = 100;
const maxTried = 12;

/**
 * Lists up to three questions that a chatbot answers from its source; none while it is not ready. They
 * are made without a model, and each is tried before it is given.
 */
export function createListSourceQuestions(parts: {
  store: Pick<Store, 'passages'>;
  access: Access;
  rank: Rank;
  embedQuery: EmbedQuery;
}): Handlers['listSourceQuestions'] {
  const { store, access, rank, embedQuery } = parts;

  return async ({ owner, params: { uuid }, signal }) => {
    const { chatbot, status } = await access.source(owner, uuid);
    if (sourceProgress(status) !== 'ready') return { questions: [] };

    /** Whether the answer begins with what the source says. */
    const isAnswered = async (query: string): Promise<boolean> => {
      const embedded = await embedQuery({ query }, signal);
      const asked = { query, embedded, chatbot, owner, documents: [] };
      const { agent, hits } = await rank(asked);
      if (agent?.type !== 'user-facing') return false;
      const { citations } = answerFromPassages(query, hits, { showCitations: true });
      return Object.values(citations)[0]?.data_source_uuid === uuid;
    };

    const questions: string[] = [];
    const version = await store.passages.liveVersion(uuid);
    if (version === undefined) return { questions };
    const suggested = suggestQuestions(await store.passages.listFrom(version, 0, maxPassages));
    for (const question of suggested.slice(0, maxTried)) {
      if (questions.length === maxQuestions) break;
      signal.throwIfAborted();
      if (await isAnswered(question)) questions.push(question);
    }
    return { questions };
  };
}

/** The room on a button, in characters. */
const maxLength = 75;
const maxSubjectWords = 5;

/** Headings that say nothing about what follows. */
const emptyHeadingPattern =
  /^(?:introduction|overview|(?:table of )?contents|summary|appendix|index|einleitung|einführung|überblick|übersicht|inhalt|inhaltsverzeichnis|zusammenfassung|anhang)$/iu;

const definitionPattern =
  /^(?<subject>(?:(?:The|An?|Der|Die|Das|Eine?) )?[\p{L}\p{N}][\p{L}\p{N}’' -]*?) (?<verb>is|are|ist|sind) (?:an?|the|our|your|ein|eine|einer|der|die|das|unser|unsere) /u;
/** Words within a subject that show it to be the beginning of a clause, as in “In determining whether …”. */
const clausePattern =
  /^(?:in|on|at|by|for|from|to|with|under|if|when|where|while|because|as|all|any|each|no|some|such|im|bei|für|von|mit|wenn|ob|alle|jede\w*)\b|\b(?:whether|that|which|who|if|when|because|dass|ob|wenn|weil)\b|,/iu;
/** What refers to something said before. */
const leaningPattern =
  /^(?:(?:this|that|these|those|there|here|dies\w*|hier)\b|(?:it|he|she|they|we|you|what|who|es|das|er|sie|wir|ihr|was|wer)$)/iu;
/** A row of a table, whose first cell names it: `- Flat white – Size: cup; Price: €3.80`. */
const rowPattern = /^- (?<subject>[\p{L}\p{N}][^–;:]*?)(?: – |: )/u;

/**
 * Questions that passages may answer, without a model: headings that ask, definitions ("The till is a
 * …"), other headings, and rows of tables, each kind in the order of the text.
 */
function suggestQuestions(passages: readonly StoredPassage[]): string[] {
  const kinds = [toAskingHeading, toDefinitions, toOtherHeading, toRows];
  const questions = kinds.flatMap((toQuestions) => passages.flatMap(toQuestions));
  // Platforms escape the last three in the label of a button.
  return [...new Set(questions)].filter(
    (question) => question.length <= maxLength && !/[&<>]/.test(question),
  );
}

function headingOf({ headings }: StoredPassage): string {
  return (headings.at(-1) ?? '').replace(/^[\d.]+\s+/u, '').trim();
}

function asks(heading: string): boolean {
  return /[?？]$/u.test(heading);
}

function toAskingHeading(passage: StoredPassage): string[] {
  const heading = headingOf(passage);
  return asks(heading) || passage.source.type === 'qa' ? [heading] : [];
}

function toOtherHeading(passage: StoredPassage): string[] {
  const heading = headingOf(passage);
  const isEmpty =
    emptyHeadingPattern.test(heading) ||
    tokenize(heading).length === 0 ||
    /:\/\/|www\./.test(heading);
  return isEmpty || asks(heading) ? [] : [toAbout(heading, passage)];
}

function toRows(passage: StoredPassage): string[] {
  return toUnits(passage.text).flatMap(({ text }) => {
    const { subject } = rowPattern.exec(text)?.groups ?? {};
    return subject === undefined ? [] : [toAbout(subject, passage)];
  });
}

function toAbout(subject: string, { text }: StoredPassage): string {
  return textsFor(text).about(subject);
}

function toDefinitions({ text }: StoredPassage): string[] {
  const { whatAre, whatIs } = textsFor(text);
  return toUnits(text).flatMap((unit) => {
    const { subject = '', verb = '' } = definitionPattern.exec(unit.text)?.groups ?? {};
    const isNamed =
      tokenize(subject).length > 0 && !leaningPattern.test(subject) && !clausePattern.test(subject);
    if (!isNamed || subject.split(' ').length > maxSubjectWords) return [];
    const named = subject.replace(/^(?:The|An?|Der|Die|Das|Eine?) /u, (word) => word.toLowerCase());
    return [/^(?:are|sind)$/.test(verb) ? whatAre(named) : whatIs(named)];
  });
}
