import { createRecords } from '../../src/sandbox/records.ts';
import { openDatabase } from '../../src/sandbox/schema.ts';
import { callDiscord, callSlack, serveSandbox } from './serve-sandbox.ts';

const minuteMs = 60_000;
/** Stands for a message's number while it is a pattern. */
const mark = 'no. 0.';

const question = `${mark} Which lamp is *meant*, and what does \`lamp --list\` say?`;
const code = `${mark} It says:\n\`\`\`\nlamp 1: lit\nlamp 2: out\n\`\`\`\nIs that right? :tada:`;
const answer = `## Lamps, ${mark}

There are **two** lamps, and [a guide](https://lamps.example/guide) to them:

- the *first* is lit at dusk
- the second only in fog
  1. ask the keeper
  2. then \`light(2)\`

\`\`\`js
export function light(lamp) {
  return lamps.find(({ number }) => number === lamp)?.on();
}
\`\`\`

> “Keep them clean.”`;
const file = new File(['# Lamps'], 'lamps.md', { type: 'text/markdown' });

/**
 * Fills a sandbox's database with `count` messages in #general of both platforms, one a minute up to
 * now: people's with and without code and files, and the bot's, each with its number (`no. 1.`).
 */
export async function fillLongChannels(path: string, count: number): Promise<void> {
  await postPatterns(path);
  const database = openDatabase(path);
  const records = createRecords(database);
  database.exec('BEGIN');
  const start = Date.now() - (count + 1) * minuteMs;
  for (const kind of ['slack.message', 'discord.message']) {
    const patterns = records.list<{ channel: string }>(kind);
    records.trim(kind, 0);
    for (let number = 1; number <= count; number += 1) {
      const pattern = patterns[number % patterns.length] ?? { channel: '' };
      const at = start + number * minuteMs;
      const numbered = JSON.stringify(pattern).replaceAll(mark, `no. ${number}.`);
      const message = JSON.parse(numbered) as { channel: string };
      const { channel } = message;
      if (kind === 'slack.message') {
        const ts = `${Math.floor(at / 1000)}.000000`;
        records.put(kind, `${channel}:${ts}`, { ...message, ts }, channel);
      } else {
        const id = String((BigInt(at) - 1_420_070_400_000n) << 22n);
        records.put(kind, id, { ...message, id, createdAt: at }, channel);
      }
    }
  }
  database.exec('COMMIT');
  database.close();
}

/** Posts one message of each sort in both channels. */
async function postPatterns(path: string): Promise<void> {
  await using served = await serveSandbox({ database: path });
  const { sandbox, post } = served;
  const { slack, discord } = sandbox;
  const channels = { slack: slack.channels()[0]?.id, discord: discord.channels()[0]?.id };
  for (const platform of ['slack', 'discord'] as const) {
    for (const [user, text] of Object.entries({ ada: question, grace: code })) {
      await post(`/${platform}/say`, { user, channel: channels[platform], text });
    }
    const bringing = { user: 'ada', channel: channels[platform], text: `${mark} Read this` };
    await post(`/${platform}/say`, bringing, { files: file });
  }
  const blocks = [{ type: 'markdown', text: answer }];
  await callSlack(sandbox, 'chat.postMessage', { channel: channels.slack, text: mark, blocks });
  await callDiscord(sandbox, `/channels/${channels.discord}/messages`, { content: answer });
}
