/**
 * What becomes of questions that the sources don't answer, without a model: a third of the paragraphs
 * of an article are withheld, and all questions about them asked in the sandbox's Slack, with rewordings of
 * twenty of them. Prints a JSON
 * line for each measure; `--wrong` also prints what is not right.
 *
 * - `groups`: how similar the questions of a line in `/causeway gaps` are, over lines of at least two:
 *   the share of their questions that are about the paragraph that most of their line are about. `of`
 *   counts the questions in such lines, `alone` those with a line of their own.
 * - `reworded`: after twenty answers were taught, how many of two rewordings each are answered with them.
 *   They were written before any of this was run: `gaps/questions.json`.
 * - `off topic`: how many questions about other things are refused, before and after that.
 *
 *     npm run bench -- gaps [--wrong] [--data <folder of shared data>]
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { groupSimilar } from '../../src/bridge/commands/gaps.ts';
import { desks } from '../e2e/desk.ts';
import { openApp } from '../e2e/open-app.ts';
import { sharedExtractor } from '../fixtures/shared-extractor.ts';

interface Taught {
  paragraph: number;
  question: string;
  answer: string;
  reworded: string[];
}

interface Paragraph {
  context: string;
  qas: { question: string }[];
}

const withheldOf = 3;
const read = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));
const { values } = parseArgs({
  options: {
    wrong: { type: 'boolean', default: false },
    data: { type: 'string', default: join(import.meta.dirname, '../../../shared/data') },
  },
});
const squad = read(join(values.data, 'squad2-normans.json')) as {
  data: { paragraphs: Paragraph[] }[];
};
const paragraphs = squad.data.flatMap((article) => article.paragraphs);
const { taught, offTopic } = read(join(import.meta.dirname, 'gaps/questions.json')) as {
  taught: Taught[];
  offTopic: string[];
};

// Its process would go on after the last row.
await using _ = sharedExtractor;
await using app = await openApp();
const { slack } = app.sandbox;
slack.faults.rateLimits = false;
const desk = desks.Slack(app.sandbox);
const isRefusal = (text: string) => text.startsWith('I found no answer to that');

await teachKept();
const refused = await askWithheld();
measureGroups(refused);
print({ measure: 'off topic, before', refused: await countRefused(offTopic), of: offTopic.length });
await teachWithheld();
await measureReworded();
print({ measure: 'off topic, after', refused: await countRefused(offTopic), of: offTopic.length });

async function teachKept(): Promise<void> {
  for (const [index, { context }] of paragraphs.entries()) {
    if (index % withheldOf === 0) continue;
    const file = { name: `paragraph-${index}.txt`, bytes: Buffer.from(context) };
    const user = slack.users().find(({ name }) => name === 'ada')?.id ?? '';
    const channel = slack.channels().find(({ name }) => name === 'general')?.id ?? '';
    await slack.say({ user, channel, text: `${desk.bot} source upload`, files: [file] });
    await desk.until(() =>
      desk.seen('ada').find(({ text }) => text.includes(`paragraph-${index}** is ready`)),
    );
  }
}

/** Asks everything about what is withheld; gives what was refused, in order. */
async function askWithheld(): Promise<{ question: string; paragraph: number }[]> {
  const found: { question: string; paragraph: number }[] = [];
  let asked = 0;
  for (const [paragraph, { qas }] of paragraphs.entries()) {
    if (paragraph % withheldOf !== 0) continue;
    const reworded = taught.filter((each) => each.paragraph === paragraph);
    const wordings = reworded.flatMap((each) => each.reworded);
    for (const question of [...qas.map((each) => each.question), ...wordings]) {
      asked += 1;
      if (isRefusal(await ask(question))) found.push({ question, paragraph });
    }
  }
  print({ measure: 'withheld', refused: found.length, of: asked });
  return found;
}

function measureGroups(asked: readonly { question: string; paragraph: number }[]): void {
  const groups = groupSimilar(asked, ({ question }) => question);
  const several = groups.filter(({ length }) => length > 1);
  let pure = 0;
  for (const group of several) {
    const counts = Map.groupBy(group, ({ paragraph }) => paragraph);
    const most = Math.max(...[...counts.values()].map(({ length }) => length));
    pure += most;
    if (most < group.length) complain(group.map(({ question }) => question).join(' | '));
  }
  const of = several.flat().length;
  print({
    measure: 'groups',
    purity: Math.round((pure / of) * 1000) / 1000,
    groups: several.length,
    of,
    alone: groups.length - several.length,
    goal: 0.8,
  });
}

/** As managers do: below the refusal, or as a source where another paragraph was taken for an answer. */
async function teachWithheld(): Promise<void> {
  let open = 0;
  for (const { question, answer } of taught) {
    const isOpen = refused.some((each) => each.question === question);
    const command = isOpen ? 'source answer' : 'source qa';
    const named: Record<string, string> = isOpen ? { gap: question } : { question };
    open += Number(isOpen);
    await desk.command('ada', command, { ...named, answer: answer.replaceAll('"', "'") });
    const isReady = ({ text }: { text: string }) =>
      text.includes(question) && /is ready/.test(text);
    await desk.until(() => [...desk.seen('ada'), ...desk.seenAlone('ada')].find(isReady));
  }
  print({ measure: 'taught', open, of: taught.length });
}

async function measureReworded(): Promise<void> {
  let right = 0;
  let of = 0;
  for (const { answer, reworded } of taught) {
    for (const question of reworded) {
      of += 1;
      const reply = await ask(question);
      if (reply.includes(answer)) right += 1;
      else complain(`${question}\n    ${reply}`);
    }
  }
  print({ measure: 'reworded', right, of, share: right / of, goal: 0.9 });
}

async function countRefused(questions: readonly string[]): Promise<number> {
  let count = 0;
  for (const question of questions) {
    const reply = await ask(question);
    if (isRefusal(reply)) count += 1;
    else complain(`${question}\n    ${reply}`);
  }
  return count;
}

/** The answer that somebody gets in a thread of its own. */
async function ask(question: string): Promise<string> {
  const thread = await desk.say('grace', `${desk.bot} ${question}`);
  const isDone = ({ buttons }: { buttons: string[] }) =>
    buttons.length > 0 && !buttons.includes('Stop');
  await desk.until(() => desk.seen('grace', thread).find(isDone));
  return desk
    .seen('grace', thread)
    .map(({ text }) => text)
    .join('\n');
}

function complain(text: string): void {
  if (values.wrong) process.stdout.write(`✗ ${text}\n`);
}

function print(row: object): void {
  process.stdout.write(`${JSON.stringify({ bench: 'gaps', ...row })}\n`);
}
