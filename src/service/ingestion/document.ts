/** A piece of a document as readable Markdown: paragraphs, lists, tables or code under one heading. */
export interface Block {
  text: string;
  /** The headings it stands under, outermost first. */
  headings: string[];
  /** Counted from 1, where the format has pages. */
  page?: number;
  /** Offsets in the document's plain text, in UTF-16 units: see `toPlainText`. */
  start: number;
  end: number;
}

/** A block before it knows its place in the document. */
export type DraftBlock = Omit<Block, 'start' | 'end'>;

/** What a reader of one file kind gives back. `title` is '' where the document names none. */
export interface Draft {
  title: string;
  blocks: DraftBlock[];
}

export interface ExtractedDocument {
  title: string;
  blocks: Block[];
}

const blockSeparator = '\n\n';

/** Neighbours join up to this length: a document of a million lines is not a million objects. */
const maxJoinedLength = 2000;

/** Gives every block its offsets, drops those without text, and joins short neighbours. */
export function toDocument(draft: Draft): ExtractedDocument {
  const blocks: DraftBlock[] = [];
  for (const block of draft.blocks) {
    const last = blocks.at(-1);
    if (block.text.trim() === '') continue;
    if (last && isContinued(last, block)) {
      blocks[blocks.length - 1] = { ...last, text: last.text + blockSeparator + block.text };
    } else {
      blocks.push(block);
    }
  }
  let position = 0;
  const placed = blocks.map((block) => {
    const start = position;
    const end = start + block.text.length;
    position = end + blockSeparator.length;
    return { ...block, start, end };
  });
  return { title: draft.title, blocks: placed };
}

function isContinued(block: DraftBlock, next: DraftBlock): boolean {
  return (
    block.page === next.page &&
    block.text.length + next.text.length <= maxJoinedLength &&
    hasSameHeadings(block, next)
  );
}

export function hasSameHeadings(block: DraftBlock, other: DraftBlock): boolean {
  return (
    block.headings.length === other.headings.length &&
    block.headings.every((heading, index) => heading === other.headings[index])
  );
}

/** The text that the offsets of blocks and passages count in. */
export function toPlainText(document: ExtractedDocument): string {
  return document.blocks.map((block) => block.text).join(blockSeparator);
}
