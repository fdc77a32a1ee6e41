/** What a reply was like for those who watched it grow. Times in ms. */
export interface ReplyMeasure {
  /** From the first delta to the first text seen. */
  firstTextMs: number;
  /** How old the oldest delta was that was not seen yet, on average over the time until all was. */
  stalenessMs: number;
  /** From the upstream's end to all of it seen. */
  tailMs: number;
  /** Deltas never seen. */
  lost: number;
  /** Deltas that stand before an earlier one, or twice, at the end. */
  reordered: number;
}

/** How a reply came and how people saw it grow. Times in ms from its first delta. */
export interface ReplyCurve {
  /** When each delta left. */
  sent: number[];
  /** When so many deltas from the first on were seen. */
  seen: { at: number; seen: number }[];
}

/** What there was to see at a time. */
interface Sight {
  at: number;
  /** Numbers of the tokens seen, from 1, in their order. */
  tokens: readonly number[];
}

/** Watches one reply. */
export interface ReplyWatch {
  /** When each delta left, by `performance.now()`. */
  sent: number[];
  /** When the upstream ended. */
  ended: number | undefined;
  /** Takes what is to be seen now. */
  see(sight: Sight): void;
  /** Whether all that was sent is seen, once the upstream has ended. */
  readonly isWhole: boolean;
  measure(): ReplyMeasure;
  curve(): ReplyCurve;
}

export function watchReply(): ReplyWatch {
  /** When so many deltas from the first on were seen: only changes of the number. */
  const steps: { at: number; seen: number }[] = [];
  let last: readonly number[] = [];

  return {
    sent: [],
    ended: undefined,
    see({ at, tokens }) {
      last = tokens;
      const seen = countLeading(tokens);
      if (seen !== (steps.at(-1)?.seen ?? 0)) steps.push({ at, seen });
    },
    get isWhole() {
      return this.ended !== undefined && steps.at(-1)?.seen === this.sent.length;
    },
    curve() {
      const from = this.sent[0] ?? 0;
      return {
        sent: this.sent.map((at) => at - from),
        seen: steps.map(({ at, seen }) => ({ at: at - from, seen })),
      };
    },
    measure() {
      const { sent, ended = Number.NaN } = this;
      const from = sent[0] ?? Number.NaN;
      const until = this.isWhole ? (steps.at(-1)?.at ?? Number.NaN) : Number.NaN;
      const distinct = new Set(last);
      const tidy = [...distinct].toSorted((a, b) => a - b);
      return {
        firstTextMs: (steps[0]?.at ?? Number.NaN) - from,
        stalenessMs: sumOfAges(sent, steps, until) / (until - from),
        tailMs: until - ended,
        lost: sent.filter((_, index) => !distinct.has(index + 1)).length,
        reordered: last.filter((token, index) => token !== tidy[index]).length,
      };
    },
  };
}

/** How many of the tokens 1, 2, 3 … are there, up to the first that is missing. */
function countLeading(tokens: readonly number[]): number {
  const there = new Set(tokens);
  let count = 0;
  while (there.has(count + 1)) count += 1;
  return count;
}

/** The age of the oldest delta not yet seen, summed over time. */
function sumOfAges(
  sent: readonly number[],
  steps: readonly { at: number; seen: number }[],
  until: number,
): number {
  const spans = [{ at: Number.NEGATIVE_INFINITY, seen: 0 }, ...steps];
  return spans.reduce((sum, { at, seen }, index) => {
    const oldest = sent[seen] ?? Number.POSITIVE_INFINITY;
    const end = Math.min(until, spans[index + 1]?.at ?? until);
    const begin = Math.max(at, oldest);
    return end > begin ? sum + ((end - oldest) ** 2 - (begin - oldest) ** 2) / 2 : sum;
  }, 0);
}
