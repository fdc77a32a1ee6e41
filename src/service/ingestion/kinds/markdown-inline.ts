import { decodeEntities } from './entities.ts';

/*
 * Each pattern stops at the sign it begins with, so that no text, however long and however made,
 * takes more than a few goes over it.
 */
const IMAGE = /!\[[^[\]]*\](?:\([^()]*\)|\[[^[\]]*\])/gu;
const RELATIVE_LINK = /\[([^[\]]*)\](?:\((?!https?:)[^()]*\)|\[[^[\]]*\])/gu;
const LINK_TITLE = /(\]\(https?:[^\s()]+) +["'][^"'()]*["']\)/gu;
const EMPTY_LINK = /\[ *\]\([^()]*\)/gu;
const AUTOLINK = /<(https?:[^<>\s]+)>/gu;
const TAG =
  /<\/?(?:a|abbr|b|big|br|center|code|dd|del|details|div|dl|dt|em|font|h[1-6]|hr|i|img|ins|kbd|li|mark|ol|p|picture|pre|s|small|source|span|strong|sub|summary|sup|table|tbody|td|th|thead|tr|u|ul|video)\b[^<>]*>/giu;
const STRONG = /\*\*(?=\S)((?:(?!\*\*)[^])+)(?<=\S)\*\*/gu;
const STRONG_UNDERSCORE = /__(?=\S)((?:(?!__)[^])+)(?<=\S)__/gu;
const EMPHASIS = /(?<![\p{L}\p{N}*\\])\*(?=[^\s*])([^*\n]+)(?<=\S)\*(?![\p{L}\p{N}*])/gu;
const EMPHASIS_UNDERSCORE = /(?<![\p{L}\p{N}_\\])_(?=[^\s_])([^_\n]+)(?<=\S)_(?![\p{L}\p{N}_])/gu;
const STRUCK = /~~(?=\S)((?:(?!~~)[^])+)(?<=\S)~~/gu;
const ESCAPE = /\\([!-/:-@[-`{-~])/gu;

/**
 * Markdown within a line as readable text: emphasis, images and tags go, code spans and web links
 * stay as they are, a link that leads nowhere outside its own site becomes its words.
 */
export function toInlineText(markdown: string): string {
  let text = '';
  let end = 0;
  for (const span of codeSpans(markdown)) {
    text += withoutMarks(markdown.slice(end, span.start)) + markdown.slice(span.start, span.end);
    end = span.end;
  }
  return (text + withoutMarks(markdown.slice(end))).replace(/[ \t]+/gu, ' ').trim();
}

/** Each from a run of backticks to the next run of the same length. */
function* codeSpans(text: string): Generator<{ start: number; end: number }> {
  const runs = Array.from(text.matchAll(/`+/gu), ({ 0: { length }, index }) => ({ length, index }));
  const nextOfLength = new Map<number, number>();
  const closing: (number | undefined)[] = [];
  for (const [index, run] of [...runs.entries()].toReversed()) {
    closing[index] = nextOfLength.get(run.length);
    nextOfLength.set(run.length, index);
  }
  for (let index = 0; index < runs.length; index++) {
    const run = runs[index];
    const last = runs[closing[index] ?? -1];
    if (!run || !last) continue;
    yield { start: run.index, end: last.index + last.length };
    index = closing[index] ?? index;
  }
}

function withoutMarks(text: string): string {
  return decodeEntities(
    text
      .replace(IMAGE, '')
      .replace(EMPTY_LINK, '')
      .replace(RELATIVE_LINK, '$1')
      .replace(LINK_TITLE, '$1)')
      .replace(AUTOLINK, '$1')
      .replace(TAG, ' ')
      .replace(STRONG, '$1')
      .replace(STRONG_UNDERSCORE, '$1')
      .replace(EMPHASIS, '$1')
      .replace(EMPHASIS_UNDERSCORE, '$1')
      .replace(STRUCK, '$1')
      .replace(ESCAPE, '$1'),
  );
}
