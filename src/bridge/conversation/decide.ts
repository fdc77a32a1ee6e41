import { languagesFrom, type Texts, textsFor } from '../texts/texts.ts';
import { type Refusal, renderRefusal } from './access.ts';
import { isOutsideWorkspaces } from './address.ts';
import type { Spent } from './questions.ts';
import { chooseButtons, retryButtons } from './buttons.ts';
import type { Button } from './thread.ts';
import type { IncomingMessage } from './platform.ts';
import { looksLikeQuestion } from './question-rule.ts';
import type { Tools } from './tools.ts';
import { whyNotNow } from './turns/capacity.ts';
import type { Work } from './inbox/scheduler.ts';
import { asTurn, handled, type InboxRow, toTurn } from './inbox/row.ts';
import { TurnProgress } from './turns/progress.ts';

/**
 * Decides what a message becomes, and stores that. Resolves with what is to be done about it:
 * nothing if the message is not for us, was handled before or has been deleted. Called for the
 * messages of a thread one after another, in order of arrival.
 */
type Decide = (
  message: IncomingMessage,
  row: InboxRow,
) => Promise<(() => Promise<number | void>) | undefined>;

/** Said to the bot, these words stop the streaming reply. */
const stopWords = /^(?:stop|stopp|halt|cancel)\s*[.!]*$/i;

/** A turn that begins has posted nothing. */
const fresh: Work = { isFresh: true, ready: Promise.resolve() };

export function createDecide(tools: Tools): Decide {
  const { inbox, sessions, settings, queue, handOver, renderHelp } = tools;
  const { access, talk, tell, admission, isTooLate } = tools;

  async function decide(incoming: IncomingMessage, row: InboxRow) {
    const { id, askedAt = row.createdAt, missed } = row;
    const { thread, author, addressed, command, isOwn } = incoming;
    if (addressed === 'overheard' && !(await isFollowed(incoming))) return overhear(row, incoming);
    const use = command ? (isOwn ? 'own' : 'other') : 'ask';
    const refusal = await access.refusal(thread.address, author, use);
    // A command in a direct message itself says what must be chosen first.
    const isOpen = command && isOutsideWorkspaces(thread.address);
    // People who may not ask the bot may still talk to those who have the thread, and be one of them.
    const isToPeople = refusal && !command && (await handOver.active(thread.address));
    if (refusal && !isOpen && !isToPeople) return refuse(id, incoming, refusal);
    const isLate = isTooLate(askedAt);
    const { thread: texts } = textsFor(author.locale);
    if (command && (isLate || missed)) return offer(row, incoming);
    if (command) return runCommand(id, incoming, command);
    if (await handOver.handle(incoming)) return skip(id);
    const text = incoming.text.trim();
    // A bot gets no answer to what is not a question: two bots could talk to each other for ever.
    if (author.bot && (isLate || text === '' || isNoQuestion(text))) return skip(id);
    if (text === '' && !incoming.files?.length) return say(id, incoming, texts.greeting);
    if (addressed !== 'overheard' && stopWords.test(text)) {
      const problem = await queue.stopIn(thread.address, author);
      await skip(id);
      return problem === undefined ? undefined : () => whisper(incoming, problem);
    }
    const quiet = await quietnessFor(incoming);
    const small = incoming.files?.length ? undefined : findSmallTalk(text, author.locale);
    if (small && quiet === 'unasked') return overhear(row, incoming);
    // A person who greets the bot in a thread can go on without a mention.
    if (small)
      return say(id, incoming, toSmallTalk(small, thread.address.platform), { query: text });
    const why = isLate ? texts.interrupted : whyNotNow(thread.address, tools, texts);
    if (why !== undefined && quiet === 'unasked') return overhear(row, incoming);
    if (why !== undefined) {
      if (author.bot) return skip(id);
      const buttons = retryButtons(row, textsFor(author.locale));
      return say(id, incoming, why, { query: text, buttons });
    }
    const spent = await admission.count(id, { address: thread.address, author });
    if (spent) return notAsked(id, incoming, spent);
    await talk.join(incoming);
    const accepted = { ...toTurn(incoming), quiet, state: 'accepted' } as const;
    const turn = asTurn(await inbox.update(id, accepted, ['received']));
    return turn && (() => queue.run(turn, thread, fresh));
  }

  /** A limit is used up: the asker is told once until it is over. */
  async function notAsked(id: string, incoming: IncomingMessage, spent: Spent) {
    const { author, thread } = incoming;
    await talk.note(incoming);
    await skip(id);
    if (!(await admission.isNews(spent, { address: thread.address, author }))) return undefined;
    const texts = textsFor(author.locale);
    const reader = { ...author, renderMoment: thread.renderMoment };
    const said = admission.explain(spent, reader, texts);
    return () => whisper(incoming, said, admission.explain(spent, author, texts));
  }

  /** A command may no longer be wanted: it is run if whoever gave it says so. The event reads it then. */
  async function offer(row: InboxRow, incoming: IncomingMessage) {
    const { id, event } = row;
    const texts = textsFor(incoming.author.locale);
    const buttons = retryButtons(row, texts, 'run');
    return say(id, incoming, texts.thread.commandMissed, { buttons, event });
  }

  /** Not for us, unless a later event of the same message has meanwhile said that it is. */
  async function overhear(
    { id, overheard }: InboxRow,
    incoming: IncomingMessage,
  ): Promise<undefined> {
    const change = { ...handled, overheard: true };
    const isSame = (row: InboxRow) => row.state === 'received' && row.overheard === overheard;
    await talk.note(incoming);
    // Its deletion came first, or it is for us.
    if (!(await inbox.update(id, change, isSame))) await talk.correct(id, '');
  }

  /** Whether an overheard message is answered. Rejects when the store is down: that does not mean no. */
  async function isFollowed(incoming: IncomingMessage): Promise<boolean> {
    const { id, text, files, thread, isToOthers, post } = incoming;
    const { address } = thread;
    // A person who posts only a picture has also joined.
    if (await handOver.active(address)) return true;
    if (isToOthers || (text.trim() === '' && !files?.length)) return false;
    const { following } = await settings.in(address);
    if (following === 'mentions') return false;
    // A thread has the id of its first message. Threads started by others are left alone.
    if (address.thread === id) {
      if (following === 'everything' || following === 'posts') return true;
      if (following === 'questions' && (post || looksLikeQuestion(text))) return true;
    }
    if (following === 'posts') return false;
    if ((await handOver.find(address)) || (await inbox.hasTurnIn(address))) return true;
    return (await sessions.find(address)) !== undefined;
  }

  /** Whether a question stays without an answer unless the service is sure of one. */
  async function quietnessFor({ addressed, thread }: IncomingMessage): Promise<InboxRow['quiet']> {
    if (addressed === 'direct') return undefined;
    const { way } = (await settings.in(thread.address)).unsure;
    if (way === 'answer') return undefined;
    if (addressed === 'overheard') return 'unasked';
    return way === 'silent' ? 'always' : undefined;
  }

  /**
   * Outsiders get no answer to what they write among people; somebody who may be a member after all
   * is told. A direct message waits until it is clear whose it is.
   */
  async function refuse(id: string, incoming: IncomingMessage, refusal: Refusal) {
    const { addressed, author, text } = incoming;
    if (author.bot) return skip(id);
    const said = renderRefusal(refusal, textsFor(author.locale));
    if (refusal.kind === 'choose') {
      return say(id, incoming, said, {
        query: text,
        buttons: chooseButtons(id, refusal.workspaces),
      });
    }
    if (addressed === 'direct') return say(id, incoming, said);
    await talk.note(incoming);
    await skip(id);
    const mayBeMember = refusal.kind === 'outsider' && refusal.outsider === 'unknown';
    if (addressed === 'overheard' && !mayBeMember) return undefined;
    return async () => void (await tell(incoming, said));
  }

  /** Says something to its author alone, or in the thread if they can't be reached otherwise. */
  async function whisper(incoming: IncomingMessage, said: string, markdown = said): Promise<void> {
    if (!(await tell(incoming, said))) await incoming.thread.post({ markdown });
  }

  function toSmallTalk({ kind, texts }: SmallTalk, platform: string): string {
    if (kind === 'help') return renderHelp(platform, texts);
    return kind === 'thanks' ? texts.thread.youAreWelcome : texts.thread.greeting;
  }

  async function runCommand(id: string, incoming: IncomingMessage, command: () => Promise<void>) {
    const change = { ...toTurn(incoming), query: '', state: 'command' } as const;
    const row = asTurn(await inbox.update(id, change, ['received']));
    if (!row) return undefined;
    return async () => {
      try {
        await command();
      } finally {
        await new TurnProgress(row, tools).end({ state: 'handled' });
      }
    };
  }

  /** Answers without asking the service. Without a query, the thread does not become ours. */
  async function say(
    id: string,
    incoming: IncomingMessage,
    text: string,
    {
      query = '',
      buttons = [],
      event,
    }: { query?: string; buttons?: Button[]; event?: unknown } = {},
  ) {
    const ending = { text, footer: '', buttons };
    const change = { ...toTurn(incoming), query, event, state: 'ending', ending } as const;
    const turn = asTurn(await inbox.update(id, change, ['received']));
    return turn && (() => queue.run(turn, incoming.thread, fresh));
  }

  async function skip(id: string): Promise<undefined> {
    const dropped = await inbox.update(id, handled, ['received']);
    // Its deletion came first.
    if (!dropped) await talk.correct(id, '');
  }

  return decide;
}

/** A message that asks nothing. */
interface SmallTalk {
  kind: keyof Texts['smallTalk'];
  /** In the language to answer in. */
  texts: Texts;
}

const isNoQuestion = (text: string) => stopWords.test(text) || findSmallTalk(text) !== undefined;

const maxLength = 60;

/**
 * Recognizes a message that is nothing but a greeting, thanks or a call for help; every other word
 * makes it a question. The language is the reader's, or that of the words where the reader's does not
 * know them: Discord tells only a server's language.
 */
export function findSmallTalk(text: string, locale?: string): SmallTalk | undefined {
  if (text.length > maxLength) return undefined;
  const said = normalize(text);
  for (const texts of languagesFrom(locale)) {
    for (const kind of ['greeting', 'thanks', 'help'] as const) {
      if (texts.smallTalk[kind].split(', ').includes(said)) return { kind, texts };
    }
  }
  return undefined;
}

/** Words in small letters with one space between them: `Hiiii, there!! 👋` is `hi there`. */
function normalize(text: string): string {
  const words = text
    .toLowerCase()
    .replaceAll(/['’]/g, '')
    .replaceAll(/(\p{L})\1{2,}/gu, '$1');
  return words.match(/\p{L}+/gu)?.join(' ') ?? '';
}
