/**
 * How many of forty first questions are answered right: fifteen about the bot, and twenty-five about
 * three documents that mention uploads, commands and help of their own. Each is asked in English and German,
 * in the sandbox's Slack, of a chatbot that also knows its first sources. Prints a JSON line for each
 * group and language; `--wrong` also prints the answers that are not right.
 *
 *     npm run bench -- first-questions [--wrong]
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { textsFor } from '../../src/bridge/texts/texts.ts';
import { plainText } from '../../src/sandbox/slack/plain-text.ts';
import type { SlackWorkspace } from '../../src/sandbox/slack/slack-workspace.ts';
import { openApp } from '../e2e/open-app.ts';
import { sharedExtractor } from '../fixtures/shared-extractor.ts';
import { slackCommandSeats } from '../e2e/slack-command-seat.ts';
import { buttonsOf } from '../e2e/slack-seen.ts';

type Language = 'en' | 'de';

/** A question in both languages, and what a right answer says: each pattern is found in it. */
interface Question extends Record<Language, string> {
  group: 'bot' | 'documents';
  right: Record<Language, string[]>;
}

const pollMs = 100;
const patienceMs = 30_000;
const folder = join(import.meta.dirname, 'first-questions');
const questions = JSON.parse(readFileSync(join(folder, 'questions.json'), 'utf8')) as Question[];
const { values } = parseArgs({ options: { wrong: { type: 'boolean', default: false } } });

// Its process would go on after the last row.
await using _ = sharedExtractor;
await using app = await openApp();
const { slack } = app.sandbox;
slack.faults.rateLimits = false;
await addDocuments();
for (const group of ['bot', 'documents'] as const) {
  for (const language of ['en', 'de'] as const) await measure(group, language);
}

async function addDocuments(): Promise<void> {
  const { manager } = slackCommandSeats(slack);
  for (const name of readdirSync(folder).filter((each) => each.endsWith('.md'))) {
    const files = [{ name, bytes: readFileSync(join(folder, name)) }];
    await manager.use({ command: 'source upload', values: {}, files }, /is ready/);
  }
}

async function measure(group: Question['group'], language: Language): Promise<void> {
  const asked = questions.filter((question) => question.group === group);
  let right = 0;
  for (const question of asked) {
    const answer = await ask(question[language], language);
    if (isRight(question, language, answer)) right += 1;
    else if (values.wrong) {
      process.stdout.write(`✗ ${question[language]}\n${answer.replaceAll(/^/gm, '    ')}\n`);
    }
  }
  const row = { bench: 'first-questions', group, language, right, of: asked.length };
  process.stdout.write(`${JSON.stringify(row)}\n`);
}

/** A document's answer also has to be alone: the bot's commands don't belong into it. */
function isRight({ group, right }: Question, language: Language, answer: string): boolean {
  const says = right[language].every((pattern) => new RegExp(pattern, 'iu').test(answer));
  return says && (group === 'bot' || !answer.includes('/causeway'));
}

/** The answer that somebody with this language gets in a thread of its own. */
async function ask(question: string, language: Language): Promise<string> {
  const user = nameOf(language === 'en' ? 'ada' : 'konrad', slack.users());
  const channel = nameOf('general', slack.channels());
  const text = `<@${slack.bot.user}> ${question}`;
  const { ts } = await slack.say({ user, channel, text });
  const { stop } = textsFor(language).thread.buttons;
  const answers = () => slack.messages(channel, ts).filter((message) => message.bot_id);
  const isDone = () => {
    const last = answers().at(-1);
    return last !== undefined && buttonsOf(last).every((button) => button.text !== stop);
  };
  for (let waitedMs = 0; !isDone(); waitedMs += pollMs) {
    if (waitedMs > patienceMs) throw new Error(`“${question}” got no answer`);
    await sleep(pollMs);
  }
  return answers().map(plainText).join('\n');
}

function nameOf(name: string, all: ReturnType<SlackWorkspace['users' | 'channels']>): string {
  return all.find((each) => each.name === name)?.id ?? '';
}
