/** How models mark their reasoning at the start of a text. */
const marks = [
  { open: '<think>', close: '</think>', closePattern: /<\/think>/i },
  { open: '<thinking>', close: '</thinking>', closePattern: /<\/thinking>/i },
  { open: '[think]', close: '[/think]', closePattern: /\[\/think\]/i },
];

/** More white space than this before reasoning is text. */
const maxBlank = 200;

/** Filters text as it grows, and returns the part that is final. */
export interface ReasoningFilter {
  push(delta: string): string;
  /** The rest that was held back. */
  end(): string;
}

/**
 * Removes the reasoning that a text begins with, and the white space around it. Reasoning without an
 * end is removed whole. Reads each character a bounded number of times, wherever the deltas are cut.
 */
export function createReasoningFilter(): ReasoningFilter {
  let held = '';
  /** The mark that began the reasoning; undefined outside it. */
  let open: (typeof marks)[number] | undefined;
  let isText = false;
  let hasReasoned = false;

  const release = (): string => {
    const text = held;
    held = '';
    return text;
  };

  /** Reads on in the reasoning; false if it needs more text. */
  const leave = ({ close, closePattern }: (typeof marks)[number]): boolean => {
    const found = closePattern.exec(held);
    // The end of the mark may be still to come.
    held = found ? held.slice(found.index + close.length) : held.slice(1 - close.length);
    if (found) open = undefined;
    return found !== null;
  };

  /** Reads on at the start of the text; false if that needs more text, or is no reasoning. */
  const enter = (): boolean => {
    const start = held.trimStart();
    open = marks.find((mark) => start.slice(0, mark.open.length).toLowerCase() === mark.open);
    if (open) {
      held = start.slice(open.open.length);
      hasReasoned = true;
      return true;
    }
    if (hasReasoned) held = start;
    const begun = start.toLowerCase();
    isText = held.length > maxBlank || !marks.some((mark) => mark.open.startsWith(begun));
    return false;
  };

  return {
    push(delta) {
      if (isText) return delta;
      held += delta;
      while (open ? leave(open) : enter());
      return isText ? release() : '';
    },
    end() {
      const rest = release();
      return open || rest.trim() === '' ? '' : rest;
    },
  };
}
