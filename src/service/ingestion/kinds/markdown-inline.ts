import { decodeEntities } from './entities.ts';

/*
 * Each pattern stops at the sign it begins with, so that no text, however long and however made,
 * takes more than a few goes over it.
 */
const imagePattern = /!\[[^[\]]*\](?:\([^()]*\)|\[[^[\]]*\])/gu;
const relativeLinkPattern = /\[([^[\]]*)\](?:\((?!https?:)[^()]*\)|\[[^[\]]*\])/gu;
const linkTitlePattern = /(\]\(https?:[^\s()]+) +["'][^"'()]*["']\)/gu;
const emptyLinkPattern = /\[ *\]\([^()]*\)/gu;
const autolinkPattern = /<(https?:[^<>\s]+)>/gu;
const tagPattern =
  /<\/?(?:a|abbr|b|big|br|center|code|dd|del|details|div|dl|dt|em|font|h[1-6]|hr|i|img|ins|kbd|li|mark|ol|p|picture|pre|s|small|source|span|strong|sub|summary|sup|table|tbody|td|th|thead|tr|u|ul|video)\b[^<>]*>/giu;
const strongPattern = /\*\*(?=\S)((?:(?!\*\*)[^])+)(?<=\S)\*\*/gu;
const strongUnderscorePattern = /__(?=\S)((?:(?!__)[^])+)(?<=\S)__/gu;
const emphasisPattern = /(?<![\p{L}\p{N}*\\])\*(?=[^\s*])([^*\n]+)(?<=\S)\*(?![\p{L}\p{N}*])/gu;
const emphasisUnderscorePattern =
  /(?<![\p{L}\p{N}_\\])_(?=[^\s_])([^_\n]+)(?<=\S)_(?![\p{L}\p{N}_])/gu;
const strikethroughPattern = /~~(?=\S)((?:(?!~~)[^])+)(?<=\S)~~/gu;
const escapePattern = /\\([!-/:-@[-`{-~])/gu;

/**
 * Converts inline Markdown to readable text: emphasis, images and tags are removed, code spans and
 * web links stay, and a link within its own site becomes its text.
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

/** Finds code spans: each from a run of backticks to the next run of the same length. */
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
      .replace(imagePattern, '')
      .replace(emptyLinkPattern, '')
      .replace(relativeLinkPattern, '$1')
      .replace(linkTitlePattern, '$1)')
      .replace(autolinkPattern, '$1')
      .replace(tagPattern, ' ')
      .replace(strongPattern, '$1')
      .replace(strongUnderscorePattern, '$1')
      .replace(emphasisPattern, '$1')
      .replace(emphasisUnderscorePattern, '$1')
      .replace(strikethroughPattern, '$1')
      .replace(escapePattern, '$1'),
  );
}
