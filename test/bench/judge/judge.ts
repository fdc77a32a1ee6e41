import type { InboxRow } from '../../../src/bridge/conversation/inbox/row.ts';
import { judgeChange, mayBeUnanswered, offersOf, triedBefore } from './changes.ts';
import type { Change, Evidence, Fault, Finding, Question } from './evidence.ts';
import type { Shown } from './people.ts';
import { type Asked, nameIn } from './service.ts';

/** Judges the answers of one place. */
export function judge(evidence: Evidence): Finding[] {
  const { questions, asked, wasSent, isReadable } = evidence;
  const offers = offersOf(evidence);
  const edits = questions.filter(({ change }) => change?.kind === 'edit');
  const aside = new Set([...offers.slice(0, edits.length), ...triedBefore(evidence)]);
  const isTold = ({ text }: Shown) => evidence.storeWasAway && text.includes(ofStore);
  const shown = evidence.shown.filter((message) => !aside.has(message) && !isTold(message));
  const { answers, surplus } = assign(questions, shown);
  const further = surplus.map((message): Finding => {
    const reason = `a further message: ${quote(message)}`;
    return { kind: 'twice', question: nameIn(message.text) ?? '', reason };
  });
  const spent = matchReplies(answers, asked);
  const faults = questions.flatMap((question): Finding[] => {
    const { name } = question;
    const answer = answers.get(question);
    const times = asked.filter(({ query }) => nameIn(query) === name);
    // The same words may be asked again: what answers another question does not answer this one.
    const own = times.filter((each) => (spent.get(each) ?? question) === question);
    const unanswered = {
      kind: 'lost',
      reason: `no answer, though asked ${times.length} times`,
    } as const;
    const fault = answer
      ? faultOf(answer, own, { wasSent: wasSent(name), isReadable, change: question.change })
      : mayBeUnanswered(question, evidence)
        ? undefined
        : unanswered;
    const found = [...(fault ? [fault] : []), ...judgeChange(question, answer, own, evidence)];
    return found.map((each) => ({ question: name, ...each }));
  });
  return [
    ...further,
    ...faults,
    ...askedTooOften(questions, answers, asked),
    ...outOfOrder(questions, answers, { ...evidence, shown }),
  ];
}

type Answers = ReadonlyMap<Question, Shown>;

/** Which question a reply was shown for; each is the reply to one. */
function matchReplies(answers: Answers, asked: readonly Asked[]): Map<Asked, Question> {
  const spent = new Map<Asked, Question>();
  for (const [question, answer] of answers) {
    const whole = asked.find((each) => !spent.has(each) && isShownWhole(each, answer));
    if (whole) spent.set(whole, question);
  }
  return spent;
}

/** Which message answers which question: a note without a reply goes to the first that has none. */
function assign(questions: readonly Question[], shown: readonly Shown[]) {
  const answers = new Map<Question, Shown>();
  const isNote = ({ text }: Shown) => nameIn(text) === undefined;
  const isOf = (each: Question, { text }: Shown, name: string | undefined) =>
    name === undefined
      ? !text.includes(ofDeleted) || each.change?.kind === 'removal'
      : each.name === name;
  // A note belongs to a question that was deleted only if no other one has it.
  const isDeleted = ({ change }: Question) => change?.kind === 'removal';
  const byNeed = [...questions.filter((each) => !isDeleted(each)), ...questions.filter(isDeleted)];
  const surplus = [...shown.filter((each) => !isNote(each)), ...shown.filter(isNote)].filter(
    (message) => {
      const name = nameIn(message.text);
      const question = byNeed.find((each) => !answers.has(each) && isOf(each, message, name));
      if (question) answers.set(question, message);
      return !question;
    },
  );
  return { answers: inOrder(questions, answers, shown), surplus };
}

/** Of questions in the same words, the earlier one has the earlier answer. */
function inOrder(questions: readonly Question[], answers: Answers, shown: readonly Shown[]) {
  const ordered = new Map(answers);
  for (const [name, alike] of Map.groupBy(answers.keys(), (question) => question.name)) {
    const given = shown.filter((message) => alike.some((each) => answers.get(each) === message));
    const asked = questions.filter((each) => each.name === name && answers.has(each));
    for (const [index, question] of asked.entries()) {
      const message = given[index];
      if (message) ordered.set(question, message);
    }
  }
  return ordered;
}

/** What people are told while the store is away. */
const ofStore = 'I’ll keep trying for some minutes.';

/** How the reply to a deleted question ends. */
const ofDeleted = 'Stopped because the question was deleted';

/** What is wrong with an answer that is neither complete nor honestly interrupted. */
function faultOf(
  answer: Shown,
  asked: readonly Asked[],
  {
    wasSent,
    isReadable,
    change,
  }: Pick<Evidence, 'isReadable'> & { wasSent: boolean; change?: Change },
): Fault | undefined {
  const { text, buttons, streams } = answer;
  const said = quote(answer);
  if (streams) return { kind: 'dangling', reason: `its stream is open: ${said}` };
  if (buttons.includes('Stop')) return { kind: 'dangling', reason: `it can be stopped: ${said}` };
  const mayBreakOff = change?.kind === 'stop' || change?.kind === 'removal';
  if (mayBreakOff && change?.at !== undefined) return undefined;
  const isWhole = asked.some((each) => isShownWhole(each, answer));
  if (isWhole && text.includes('Sources')) return undefined;
  const isInterrupted = text.includes('⚠️') && buttons.includes('Try again');
  if (!isInterrupted) {
    const what = isWhole ? 'it lacks its sources' : 'it is half an answer, or an old one';
    return { kind: 'dangling', reason: `${what}: ${said}` };
  }
  if (asked.length === 0 && !wasSent) {
    return { kind: 'lost', reason: `excused, and never asked: ${said}` };
  }
  const isThere = asked.some((each) => each.stored === 'whole' && isReadable(each));
  return isThere
    ? { kind: 'lost', reason: `excused, though the service has the whole reply: ${said}` }
    : undefined;
}

/** How an answer says that its question may have been asked before. */
const saysAgain = /⚠️|again/;

function askedTooOften(
  questions: readonly Question[],
  answers: Answers,
  asked: readonly Asked[],
): Finding[] {
  return [...new Set(questions.map(({ name }) => name))].flatMap((name): Finding[] => {
    const alike = questions.filter((each) => each.name === name);
    const times = asked.filter(({ query }) => nameIn(query) === name).length;
    const isMarked = alike.some((each) => saysAgain.test(answers.get(each)?.text ?? ''));
    const wanted = alike.length + alike.filter(({ change }) => change?.kind === 'again').length;
    if (times <= wanted || isMarked) return [];
    const reason = `asked upstream ${times} times instead of ${wanted}`;
    return [{ kind: 'twice', question: name, reason }];
  });
}

/** What a platform delivers within this time comes in any order, as on Slack's two connections. */
const sameMomentMs = 500;

/** Whether the bridge got the later question first, at the same moment. Words may be asked twice. */
function cameFirst(later: string, earlier: string, inbox: Evidence['inbox']): boolean {
  const rows = inbox.filter(({ kind }) => kind === 'message');
  const isOf = (name: string) => (row: InboxRow) => nameIn(row.query ?? '') === name;
  const first = rows.findIndex(isOf(later));
  const second = rows.slice(first + 1).find(isOf(earlier));
  const sinceMs = (second?.createdAt ?? Infinity) - (rows[first]?.createdAt ?? 0);
  return first >= 0 && sinceMs < sameMomentMs;
}

function outOfOrder(
  questions: readonly Question[],
  answers: Answers,
  { shown, inbox, wasLate }: Pick<Evidence, 'shown' | 'inbox' | 'wasLate'>,
): Finding[] {
  const order = questions.flatMap((question) => {
    const answer = answers.get(question);
    return answer ? [{ question: question.name, at: shown.indexOf(answer) }] : [];
  });
  return order.flatMap(({ question, at }, index): Finding[] => {
    const before = order[index - 1];
    if (!before || at > before.at || wasLate(before.question)) return [];
    if (cameFirst(question, before.question, inbox)) return [];
    const reason = `answered before ${before.question}, which was asked before it`;
    return [{ kind: 'outOfOrder', question, reason }];
  });
}

/** The marker of a citation is shown as a footnote. */
function isShownWhole(asked: Asked, shown: Shown): boolean {
  const [words = ''] = normalized(asked).split(' [');
  return normalized(shown).includes(words);
}

/** The normalized texts of what is compared again and again. */
const known = new WeakMap<object, string>();

function normalized(of: { text: string }): string {
  const text = known.get(of) ?? normalize(of.text);
  known.set(of, text);
  return text;
}

const normalize = (text: string) => text.replaceAll(/\s+/g, ' ');

function quote({ text, buttons }: Shown): string {
  const words = normalize(text);
  const short = words.length > 160 ? `${words.slice(0, 60)} … ${words.slice(-90)}` : words;
  return `“${short}” [${buttons.join('] [')}]`;
}
