import { type Draft, maxBlockLength } from '../document.ts';
import { toName } from '../units.ts';
import { createOutline, type Outline } from './outline.ts';
import { type TextLine, toTextLines } from './text-lines.ts';

const maxTermLength = 100;
const maxTerms = 4;
const maxItemLength = 600;
const minDepth = 2;
const maxLevels = 6;

/**
 * Plain text, with wrapped lines joined. What is indented below a line stands under it: it is an item
 * if it is one short paragraph ("- `-a`: shows all"), and else its text under a heading. An underlined
 * line is a heading too.
 */
export function fromText(text: string): Draft {
  const outline = createOutline();
  const lines = createAhead(toTextLines(text));
  const page = createPage(outline);
  let before: TextLine | undefined;
  for (let line = lines.take(); line; line = lines.take()) {
    const next = lines.peek(0);
    const isWithin = !line.beginsParagraph && before?.indent === line.indent;
    const terms = isWithin ? [] : takeTerms(line, lines);
    before = line;
    if (line.as === 'code') page.code(line);
    else if (next?.as === 'ruler' && isUnderlined(line, next)) {
      lines.take();
      page.heading(line.text, next.text.startsWith('=') ? -2 : -1);
    } else if (terms.length === 0) page.add(line);
    else if (isOneParagraph(line, lines)) page.define(line, terms, lines.take());
    else page.heading(terms.join(', '), line.indent);
  }
  page.end();
  return { title: '', blocks: outline.draft('').blocks };
}

/** Takes the terms that stand above an indented text: often several, such as "-a" and "--all". */
function takeTerms(line: TextLine, lines: Ahead): string[] {
  let count = 0;
  for (let term: TextLine | undefined = line; isTerm(term) && count < maxTerms; count += 1) {
    const next = lines.peek(count);
    if (next && next.as !== 'ruler' && next.indent >= line.indent + minDepth) {
      return [line, ...Array.from({ length: count }, () => lines.take())].flatMap(
        (each) => each?.text ?? [],
      );
    }
    if (next?.beginsParagraph || next?.indent !== line.indent) return [];
    term = next;
  }
  return [];
}

const proseEndPattern = /[,:{}([]$|[\p{L}\p{N})"”][.;!?]$/u;

function isTerm({ text, as }: TextLine): boolean {
  return (
    as === 'text' &&
    text.length <= maxTermLength &&
    /\p{L}|^\W/u.test(text) &&
    !text.startsWith('<') &&
    !proseEndPattern.test(text)
  );
}

/** A ruler that is much shorter than the line above separates it from what follows. */
function isUnderlined(line: TextLine, ruler: TextLine): boolean {
  const isBelow = !ruler.beginsParagraph && line.as === 'text';
  return isBelow && line.text.length <= Math.min(ruler.text.length + 2, maxTermLength);
}

/** Whether all that stands below a term is the next line. */
function isOneParagraph({ indent }: TextLine, lines: Ahead): boolean {
  const body = lines.peek(0);
  const after = lines.peek(1);
  return (
    indent > 0 &&
    body?.as === 'text' &&
    body.text.length <= maxItemLength &&
    (after === undefined || after.indent <= indent)
  );
}

/** Collects lines into blocks: those of a paragraph stay together. */
function createPage(outline: Outline) {
  const levels: number[] = [];
  let block: TextLine[] = [];
  let characters = 0;

  function end(): void {
    const indent = block.reduce((least, line) => Math.min(least, line.indent), Infinity);
    const texts = block.map((line) => ' '.repeat(line.indent - indent) + line.text);
    outline.paragraph(texts.join('\n'));
    block = [];
    characters = 0;
  }

  /** Leaves the headings that don't stand above this indentation. */
  function leaveTo(indent: number): void {
    const kept = levels.filter((level) => level < indent).length;
    if (kept === levels.length) return;
    end();
    levels.length = kept;
    outline.leaveHeadings(kept);
  }

  function add(line: TextLine): void {
    if (line.as === 'ruler') return end();
    leaveTo(line.indent);
    if (line.beginsParagraph || characters > maxBlockLength) end();
    block.push(line.as === 'definition' ? { ...line, text: `- ${line.text}` } : line);
    characters += line.text.length;
  }

  return {
    end,
    add,
    heading(text: string, level: number): void {
      leaveTo(level);
      end();
      if (levels.length >= maxLevels) outline.paragraph(text);
      else outline.heading(levels.push(level) - 1, text.replace(/^[*#]+\s/u, ''));
    },
    define(line: TextLine, terms: string[], body: TextLine | undefined): void {
      add({ ...line, text: `${toName(terms.join(', '))}: ${body?.text}`, as: 'definition' });
    },
    code({ text, indent }: TextLine): void {
      leaveTo(indent);
      end();
      outline.paragraph(text);
    },
  };
}

type Ahead = ReturnType<typeof createAhead>;

function createAhead(lines: Generator<TextLine>) {
  const read: TextLine[] = [];
  /** The line that is `ahead` lines further on. */
  const peek = (ahead: number) => {
    while (read.length <= ahead) {
      const { done, value } = lines.next();
      if (done) return undefined;
      read.push(value);
    }
    return read[ahead];
  };
  return {
    peek,
    take() {
      peek(0);
      return read.shift();
    },
  };
}
