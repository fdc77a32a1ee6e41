/** A reply as the upstream will give it. */
export interface Script {
  /** What a person asks to get it; no two are alike. */
  query: string;
  /** When it is asked, in ms from the start of the run. */
  atMs: number;
  /** How many numbered tokens it has, a delta each. */
  tokens: number;
  /** Time from the first delta to the last, in ms. */
  overMs: number;
  /** Sentences end within its paragraphs. */
  sentences?: true;
  /** The connection breaks after so many deltas, and the service has stored nothing. */
  diesAfter?: number;
  /** The first write after the stream's end is refused, with Retry-After 1. */
  refuseLast?: true;
}

/** Characters of a token, with the space behind it. */
export const tokenLength = 5;

const tokensInParagraph = 40;
const tokensInSentence = 20;

/** The token of a number from 1, `0001 `, so that what is lost or out of order is found exactly. */
export function renderToken(number: number, { tokens, sentences }: Script): string {
  const digits = String(number).padStart(tokenLength - 1, '0');
  if (number === tokens) return digits;
  const end = sentences && number % tokensInSentence === 0 ? '! Then ' : ' ';
  return number % tokensInParagraph === 0 ? `${digits}\n\n` : `${digits}${end}`;
}

/** The whole reply. */
export function renderReply(script: Script): string {
  return Array.from({ length: script.tokens }, (_, index) => renderToken(index + 1, script)).join(
    '',
  );
}

/** The numbers of the tokens in a text, in its order; notes and lists of sources have none. */
export function readTokens(text: string): number[] {
  return Array.from(text.matchAll(/(?<![\w.])\d{4}(?![\w.])/g), ([digits]) => Number(digits));
}

/** The reply to `query`, that a person asks at `atMs`, of `characters` over `overMs`. */
export function createScript(
  query: string,
  reply: { atMs: number; characters: number; overMs: number },
): Script {
  const { atMs, characters, overMs } = reply;
  return { query, atMs, overMs, tokens: Math.round(characters / tokenLength) };
}
