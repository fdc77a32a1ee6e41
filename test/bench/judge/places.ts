import type { Evidence, Finding, Question } from './evidence.ts';
import { judge } from './judge.ts';
import { type People, type Place, type PlatformName, platforms, type Shown } from './people.ts';
import type { World } from './world.ts';

/** The places of a run with their questions, and what the bot said there before. */
export interface Places {
  /** Adds a question that was asked just now, before the bot could answer. */
  add(question: Question): void;
  /** The bot's messages that may answer a question. */
  shown(question: Question): Shown[];
  /** Judges all places, or only the run's own, in which later runs say nothing. */
  judge(evidence: Omit<Evidence, 'questions' | 'shown'>, which?: 'all' | 'own'): Finding[];
}

export function createPlaces(people: Record<PlatformName, People>): Places {
  const keyOf = (place: Place) => JSON.stringify(place);
  const places = new Map<string, { place: Place; questions: Question[]; earlier: Set<string> }>();
  const idsIn = (place: Place) => people[place.platform].shown(place).map(({ id }) => id);
  const astray = () => platforms.flatMap((name) => people[name].astray());
  const astrayBefore = astray().length;

  return {
    add(question) {
      const { place } = question;
      const key = keyOf(place);
      const known = places.get(key);
      if (known) known.questions.push(question);
      else places.set(key, { place, questions: [question], earlier: new Set(idsIn(place)) });
    },
    shown({ place }) {
      const earlier = places.get(keyOf(place))?.earlier;
      return people[place.platform].shown(place).filter(({ id }) => !earlier?.has(id));
    },
    judge(evidence, which = 'all') {
      const findings = [...places.values()].flatMap(({ place, questions, earlier }) => {
        const isOwn = earlier.size === 0 && place.thread !== place.channel;
        if (which === 'own' && !isOwn) return [];
        const shown = people[place.platform].shown(place).filter(({ id }) => !earlier.has(id));
        return judge({ ...evidence, questions, shown });
      });
      const strays = which === 'all' ? astray().slice(astrayBefore) : [];
      const further = strays.map(({ text }) => ({
        kind: 'twice' as const,
        question: '',
        reason: `a message in the channel itself: ${text}`,
      }));
      return [...findings, ...further];
    },
  };
}

/** Nothing more comes once nothing has happened for this long. */
const quietMs = 300;

/**
 * Waits until all is answered and quiet, or until something is missing and nothing has happened for
 * `patienceMs`. Resolves with what is wrong then.
 */
export async function settle(
  world: World,
  judgeAll: () => Finding[],
  { patienceMs, maxMs }: { patienceMs: number; maxMs: number },
): Promise<Finding[]> {
  const limit = AbortSignal.timeout(maxMs);
  for (;;) {
    const isQuiet = await world.quiet(quietMs, limit);
    const findings = judgeAll();
    if (findings.length === 0 || !isQuiet) return findings;
    if (!(await world.stirs(patienceMs))) return findings;
  }
}
