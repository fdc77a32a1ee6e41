import { channelKey, type ThreadAddress } from './address.ts';
import { createAskAgain } from './ask-again.ts';
import { endRetry } from './buttons.ts';
import { textsFor } from '../texts/texts.ts';
import { explainError } from './errors.ts';
import { findHelp, renderHelpTopic } from './help.ts';
import { renderPassages } from './reply/reply-contents.ts';
import { renderRefusal } from './access.ts';
import type { Author, ButtonPress } from './platform.ts';
import type { Tools } from './tools.ts';
import { asTurn, type Feedback, type TurnRecord } from './inbox/row.ts';
import { createQueue } from '../../shared/primitives/queue.ts';
import { whyNotNow } from './turns/capacity.ts';

/**
 * Handles the buttons below a reply. Resolves with Markdown to show only to the person who pressed,
 * or undefined. A press outside the turn's place, or by somebody without permission, is answered as if the
 * turn did not exist.
 */
export function createButtonActions(
  tools: Tools,
): (press: ButtonPress, row: string) => Promise<string | undefined> {
  const { inbox, queue, handOver, access, tenancy, typed, log } = tools;
  const askAgain = createAskAgain(tools);
  /** Changes to a turn's feedback run one after another. */
  const changes = createQueue();

  const find = async (id: string) => asTurn(await inbox.get(id));

  /** Whether a turn or hand-over is where the button was pressed, and the person may do that. */
  async function isAllowed(
    { action, by, place }: ButtonPress,
    about: { address: ThreadAddress; asker?: string } | undefined,
  ): Promise<boolean> {
    if (!about || !isThere(place, about.address)) return false;
    if (action === 'choose') return true;
    // Even while nothing can be asked, people stop what they asked.
    if (action === 'stop' && about.asker === by.id) return true;
    // Everyone who sees a reply may learn who can stop it.
    return access.may(action === 'stop' ? 'retry' : action, { ...place, person: by }, about);
  }

  async function subjectOf({ action, turn }: ButtonPress) {
    if (action === 'resume') return handOver.located(turn);
    // While the store fails, a running turn can still be stopped.
    const record = queue.find(turn) ?? (await find(turn.split('.', 1)[0] ?? ''));
    return record && { address: record.address, asker: record.author.id };
  }

  /** The workspace of a direct message is chosen, and the question that waited for it is asked. */
  async function choose(ids: string, by: Author, row: string): Promise<string | undefined> {
    const [id = '', workspace] = ids.split('.');
    const { forgotten } = textsFor(by.locale).thread;
    const record = await find(id);
    if (!record) return forgotten;
    const choices = await access.choices(record.address, by.id);
    if (!choices.some((each) => each.id === workspace) || !workspace) return forgotten;
    await tenancy.choose(record.address, workspace);
    return retry(`${id}.${record.attempt}`, by, row);
  }

  async function rate({ turn: id, by, remark }: ButtonPress, choice: Feedback): Promise<string> {
    const { forgotten, thanks } = textsFor(by.locale).thread;
    return changes.run(id, async () => {
      const record = await find(id);
      if (!record) return forgotten;
      if (remark !== undefined) {
        await inbox.update(id, ({ remarks }) => ({ remarks: { ...remarks, [by.id]: remark } }));
        return thanks.remark;
      }
      await inbox.update(id, ({ feedback }) => ({ feedback: { ...feedback, [by.id]: choice } }));
      if (choice === 'unhelpful') await tools.gaps.unhelpful(record);
      tools.reports.rated(record.address.platform, choice);
      const solved = await markSolved(record, by, choice);
      return [thanks[choice], solved].filter(Boolean).join(' ');
    });
  }

  /** Helpful, from whoever asked in a post, solves it. Resolves with what to say about that. */
  async function markSolved(record: TurnRecord, by: Author, choice: Feedback) {
    const { address, author, feedback } = record;
    const isSolved = choice === 'helpful';
    if (author.id !== by.id || (!isSolved && feedback?.[by.id] !== 'helpful')) return undefined;
    const texts = textsFor(by.locale);
    try {
      const { solvedTag: tag } = await tools.settings.in(address);
      const thread = tag === undefined ? undefined : tools.openThread(address);
      const isDone = tag !== undefined && (await thread?.markSolved?.(tag, isSolved, by.id));
      return isDone && isSolved ? texts.thread.solved : undefined;
    } catch (error) {
      log.warn({ err: error, thread: address }, 'a post could not be marked as solved');
      return texts.thread.notSolved(explainError(error, texts));
    }
  }

  async function retry(asked: string, by: Author, row: string): Promise<string | undefined> {
    const [id = '', attempt] = asked.split('.');
    const { thread, handOver: announcements } = textsFor(by.locale);
    if (queue.find(id)) return thread.stillAnswering;
    const record = await find(id);
    if (!record) return thread.forgotten;
    // A command asks the last question again, which another may have followed.
    if (attempt === undefined && queue.hasIn(record.address)) return thread.stillAnswering;
    const isOffered = record.event !== undefined;
    if (isOffered && record.author.id !== by.id) return thread.notYoursToRun;
    if (!isOffered && (await handOver.active(record.address)))
      return announcements.alreadyRequested;
    // After a double press, it may have started while the record was read.
    if (queue.find(id)) return thread.stillAnswering;
    if (attempt !== undefined && Number(attempt) !== record.attempt) {
      return record.askedBy === row ? undefined : thread.askedAgain;
    }
    const why = isOffered ? undefined : await whyNotAsked(record, by);
    if (why !== undefined) return why;
    await Promise.all([askAgain(record, row), endButtons(record)]);
    return undefined;
  }

  /** An answer was taught: the question is asked again, and its old reply loses its buttons. */
  async function answerAnew(id: string, by: Author, row: string): Promise<string | undefined> {
    const { thread, handOver: announcements } = textsFor(by.locale);
    const record = await find(id);
    if (!record) return thread.forgotten;
    if (await handOver.active(record.address)) return announcements.alreadyRequested;
    const refused = { ...record, sources: undefined };
    await Promise.all([askAgain(record, row, by), endButtons(refused)]);
    return undefined;
  }

  /** One that waited until somebody asked for it again has not been counted yet. */
  async function whyNotAsked({ id, address, author }: TurnRecord, by: Author) {
    const texts = textsFor(by.locale);
    const refusal = await access.refusal(address, by, 'ask');
    if (refusal) return renderRefusal(refusal, texts);
    const why = whyNotNow(address, tools, texts.thread);
    if (why !== undefined) return why;
    const asker = { address, author: { ...author, isManager: false } };
    const spent = await tools.admission.count(id, asker);
    return spent && tools.admission.explain(spent, by, texts);
  }

  function endButtons(record: TurnRecord): Promise<void> {
    const whyNot = 'a button that was pressed was not removed';
    return endRetry(record, { ...tools, whyNot });
  }

  async function requestPerson(id: string, by: Author): Promise<string | undefined> {
    const record = await find(id);
    const thread = record && tools.openThread(record.address);
    const texts = textsFor(by.locale);
    if (!thread) return texts.thread.forgotten;
    const { author, query, address } = record;
    if (author.id === by.id) return handOver.request({ thread, by, query });
    // Those who are notified may not be in the room: only its asker sends the question out of it.
    const isOpen = (await access.roomOf(address))?.isPublic;
    return handOver.request({ thread, by, query: isOpen ? query : '', onBehalfOf: author });
  }

  async function showPassages(id: string, by: Author): Promise<string> {
    const { forgotten, noPassages } = textsFor(by.locale).thread;
    const record = await find(id);
    if (!record?.sources) return forgotten;
    return renderPassages(record.sources) || noPassages;
  }

  async function showHelp(id: string, by: Author): Promise<string> {
    const record = await find(id);
    const help = record && findHelp(record.query, by.locale);
    if (!help) return textsFor(by.locale).thread.forgotten;
    return renderHelpTopic(help, record.address.platform, typed);
  }

  return async (press, row) => {
    const { action, turn, by } = press;
    const { thread, handOver: announcements } = textsFor(by.locale);
    if (!(await isAllowed(press, await subjectOf(press)))) {
      if (action === 'stop') return thread.nothingToStop;
      return action === 'resume' ? announcements.notHandedOver : thread.forgotten;
    }
    switch (action) {
      case 'stop':
        return queue.stop(turn, by);
      case 'retry':
        return retry(turn, by, row);
      case 'passages':
        return showPassages(turn, by);
      case 'help':
        return showHelp(turn, by);
      case 'helpful':
      case 'unhelpful':
        return rate(press, action);
      case 'person':
        return requestPerson(turn, by);
      case 'resume':
        return handOver.resume(turn, by);
      case 'teach':
        return answerAnew(turn, by, row);
      case 'choose':
        return choose(turn, by, row);
    }
  };
}

/** Where no thread could be opened, a reply is in the channel itself. */
function isThere(place: ThreadAddress, address: ThreadAddress): boolean {
  const isInChannel = channelKey(place) === channelKey(address);
  return isInChannel && [address.thread, address.channel].includes(place.thread);
}
