import { setTimeout as sleep } from 'node:timers/promises';
import type { Change, Question } from '../judge/evidence.ts';
import type { People, PlatformName, Shown } from '../judge/people.ts';
import type { Places } from '../judge/places.ts';
import { nameIn } from '../judge/service.ts';
import type { World } from '../judge/world.ts';
import type { PlannedChange } from './plan.ts';

/** A question that somebody will change. */
export interface ChangedQuestion extends Question {
  change: Change;
  /** Whether its text mentions the bot. */
  hasMention: boolean;
}

interface ActTools {
  world: World;
  people: Record<PlatformName, People>;
  places: Places;
  tell(what: string): void;
}

/** A stage that has not come after this time does not come: a change is made all the same. */
const maxWaitMs = 20_000;
const lookEveryMs = 20;

/** The words of a question after its edit. */
export function editedWords({ name }: Pick<Question, 'name'>): string {
  return `What is ${name} now?`;
}

/** Does to a question what is planned, once it is in its stage. */
export async function act(
  question: ChangedQuestion,
  { stage, afterMs }: PlannedChange,
  { world, people, places, tell }: ActTools,
): Promise<void> {
  const { name, place, change, hasMention } = question;
  const { said, kind } = change;
  const { edit, remove, press, stop } = people[place.platform];

  const withButton = (label: string) =>
    places.shown(question).find(({ buttons }) => buttons.includes(label));

  function hasCome(): boolean {
    const isEnded = places.shown(question).some((each) => isEndedAnswer(each, name));
    if (isEnded || stage === 'waiting') return true;
    return stage === 'running' && world.service.asked.some(({ query }) => nameIn(query) === name);
  }

  /** Notes the time. The process may die at this moment. */
  function begin(): void {
    tell(`${kind} (${stage}): ${name}`);
    change.at = performance.now();
    setImmediate(world.noteChange);
  }

  async function pressTwice(label: string): Promise<void> {
    await until(() => withButton(label) !== undefined && world.hears(place.platform));
    const message = withButton(label);
    if (!message) return;
    begin();
    const acknowledged = await Promise.all([
      press(said, message.id, label),
      sleep(afterMs).then(() => press(said, message.id, label)),
    ]);
    change.isAcknowledged = acknowledged.includes(true);
  }

  async function stopIt(): Promise<void> {
    const isEnded = () => places.shown(question).some((each) => isEndedAnswer(each, name));
    const isStoppable = () => withButton('Stop') !== undefined && world.hears(place.platform);
    await until(() => isEnded() || isStoppable());
    const message = withButton('Stop');
    if (!message) return;
    begin();
    change.isAcknowledged = await press(said, message.id, 'Stop');
  }

  /** By Slack's own button, which is there before the reply. */
  async function stopWaiting(): Promise<void> {
    await sleep(afterMs);
    if (stop(said)) begin();
  }

  if (kind === 'again') return pressTwice('Try again');
  if (kind === 'helpful') return pressTwice('Helpful');
  if (kind === 'stop') return stage === 'waiting' ? stopWaiting() : stopIt();
  if (stage !== 'unread') {
    await until(hasCome);
    await sleep(afterMs);
  }
  begin();
  if (kind === 'removal') remove(said);
  else await edit(said, editedWords(question), { mention: hasMention || kind === 'mention' });
}

/** An answer that is not written any more, or a note in its place. */
function isEndedAnswer({ text, buttons, streams }: Shown, name: string): boolean {
  const written = nameIn(text);
  const isOurs = written === undefined || written === name;
  return isOurs && !streams && buttons.length > 0 && !buttons.includes('Stop');
}

async function until(condition: () => boolean): Promise<void> {
  const limit = performance.now() + maxWaitMs;
  while (!condition() && performance.now() < limit) await sleep(lookEveryMs);
}
