import { shorten } from '../../../shared/primitives/shorten.ts';
import { type Draft, type DraftBlock, maxTitleLength } from '../document.ts';
import { cutEndless } from './text.ts';

/** Collects a document's blocks under its headings. */
export interface Outline {
  /** What follows is on this page. */
  turnTo(page: number): void;
  heading(level: number, text: string): void;
  /** What follows has no heading, until the next one. */
  leaveHeadings(): void;
  /** Adds a block under the current headings. Its text stays unchanged. */
  block(text: string): void;
  draft(title: string): Draft;
}

/**
 * A heading closes those of its own level and below. A heading without text or lower headings
 * becomes a block itself, because its words would be lost otherwise. So does the whole of one that is
 * too long, below its beginning.
 */
export function createOutline(): Outline {
  const blocks: DraftBlock[] = [];
  let path: { level: number; text: string }[] = [];
  let first = '';
  let bare = false;
  let page: number | undefined;

  function add(text: string, headings: string[]): void {
    blocks.push({ text, headings, page });
    bare = false;
  }

  function closeBare(level: number): void {
    const last = path.at(-1);
    if (bare && last && last.level >= level) {
      add(
        last.text,
        path.slice(0, -1).map(({ text }) => text),
      );
    }
    bare = false;
  }

  function block(text: string): void {
    if (text.trim() === '') return;
    add(
      text,
      path.map((heading) => heading.text),
    );
  }

  return {
    turnTo(next) {
      page = next;
    },
    leaveHeadings() {
      closeBare(0);
      path = [];
    },
    heading(level, text) {
      const clean = text.replace(/\s+/gu, ' ').trim();
      if (clean === '') return;
      closeBare(level);
      path = [
        ...path.filter((heading) => heading.level < level),
        { level, text: shorten(clean, maxTitleLength) },
      ];
      if (first === '') first = clean;
      bare = true;
      if (clean.length > maxTitleLength) for (const piece of cutEndless(clean)) block(piece);
    },
    block,
    draft(title) {
      closeBare(0);
      return { title: title === '' ? first : title, blocks };
    },
  };
}
