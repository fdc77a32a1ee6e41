import type { InboxRow } from '../../../src/bridge/conversation/inbox/row.ts';
import type { Change, Evidence, Fault, Question } from './evidence.ts';
import type { Shown } from './people.ts';
import type { Asked } from './service.ts';

/** What was under way when a change was stored may still have its effect. */
const underWayMs = 1_000;

/** When the bridge stored a change, by `performance.now()`; undefined if it has not. */
function storedAt({ change }: Question, inbox: readonly InboxRow[]): number | undefined {
  const kind = change?.kind === 'removal' ? 'removal' : 'edit';
  const rows = inbox.filter((row) => row.kind === kind && row.messageId === change?.said.id);
  const [first] = rows.map(({ createdAt }) => createdAt - performance.timeOrigin);
  return first;
}

/** Whether the platform has told the bridge of a change, as far as is known. */
const isTold = ({ change, place }: Question, { hasTold }: Evidence) =>
  change?.at !== undefined && hasTold(place.platform, change.at);

/** Whether there may rightly be no answer. */
export function mayBeUnanswered(question: Question, evidence: Evidence): boolean {
  const { change } = question;
  // What Discord did not tell the bridge it finds out only if the message is still there.
  const isGivenUp = change?.kind === 'removal' || change?.kind === 'stop';
  if (isGivenUp) return change.at !== undefined;
  if (change?.kind !== 'mention') return false;
  return storedAt(question, evidence.inbox) === undefined && !isTold(question, evidence);
}

/** What is wrong with what became of a change. */
export function judgeChange(
  question: Question,
  answer: Shown | undefined,
  asked: readonly Asked[],
  evidence: Evidence,
): Fault[] {
  const { change } = question;
  if (change?.at === undefined) return [];
  switch (change.kind) {
    case 'edit':
    case 'mention':
      return judgeEdit(question, answer, asked, evidence);
    case 'removal':
      return judgeRemoval(question, answer, asked, evidence);
    case 'helpful':
      return change.isAcknowledged ? judgeFeedback(change, evidence) : [];
    case 'again':
    case 'stop':
      return [];
  }
}

/** A question is asked in the words that it has then. Once it was asked, it is offered again. */
function judgeEdit(
  question: Question,
  answer: Shown | undefined,
  asked: readonly Asked[],
  evidence: Evidence,
): Fault[] {
  const { text, change } = question;
  const stored = storedAt(question, evidence.inbox);
  const isNew = ({ query }: Asked) => query !== text;
  const old = asked.filter((each) => !isNew(each));
  if (change?.kind === 'mention') {
    return old.length > 0 ? [{ kind: 'outdated', reason: 'asked without a mention' }] : [];
  }
  // A question that is caught up with after an outage has its new words already.
  const isLost = stored === undefined && isTold(question, evidence) && !asked.some(isNew);
  if (isLost) return [{ kind: 'unheeded', reason: 'its edit was not stored' }];
  if (stored === undefined) return [];
  if (old.some(({ at }) => at > stored + underWayMs)) {
    return [{ kind: 'outdated', reason: 'asked in its old words, after its edit was stored' }];
  }
  const isDone = answer && old.some(({ wholeAt }) => wholeAt !== undefined) && !asked.some(isNew);
  const isLast = evidence.questions.at(-1) === question;
  return isDone && isLast && answer.text.includes('Sources') && offersOf(evidence).length === 0
    ? [{ kind: 'unheeded', reason: 'it is not offered to answer the edited question' }]
    : [];
}

/** Nothing begins after a deletion, and what had not begun leaves nothing. */
function judgeRemoval(
  question: Question,
  answer: Shown | undefined,
  asked: readonly Asked[],
  evidence: Evidence,
): Fault[] {
  const stored = storedAt(question, evidence.inbox);
  if (stored === undefined) {
    return isTold(question, evidence)
      ? [{ kind: 'unheeded', reason: 'its deletion was not stored' }]
      : [];
  }
  const limit = stored + underWayMs;
  const reasons = [
    asked.some(({ at }) => at > limit) && 'asked after it was deleted',
    answer &&
      answer.postedAt > performance.timeOrigin + limit &&
      `answered after it was deleted: ${answer.text}`,
    answer &&
      asked.length === 0 &&
      !evidence.wasSent(question.name) &&
      `deleted before it was asked, and still answered: ${answer.text}`,
  ];
  return reasons.flatMap((reason) => (reason ? [{ kind: 'unheeded' as const, reason }] : []));
}

/** Both presses of a person are one opinion. */
function judgeFeedback({ said }: Change, { inbox }: Evidence): Fault[] {
  const turn = inbox.find(({ kind, messageId }) => kind === 'message' && messageId === said.id);
  const given = Object.entries(turn?.feedback ?? {});
  const isOnce = given.length === 1 && given[0]?.[0] === said.by && given[0][1] === 'helpful';
  const reason = `the feedback is ${JSON.stringify(turn?.feedback)}`;
  return isOnce ? [] : [{ kind: 'unheeded', reason }];
}

/** The notes that offer to answer an edited question. */
export function offersOf({ shown }: Pick<Evidence, 'shown'>): Shown[] {
  return shown.filter(({ buttons }) => buttons.includes('Answer again'));
}

/** The failed reply above the one that somebody asked for by pressing Try again. */
export function triedBefore({ questions, shown }: Evidence): Shown[] {
  const [first, second] = shown;
  const isAgain = questions.some(({ change }) => change?.kind === 'again');
  return isAgain && first && second && first.text.includes('⚠️') ? [first] : [];
}
