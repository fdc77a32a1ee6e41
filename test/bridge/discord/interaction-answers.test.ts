import { expect, test } from 'vitest';
import {
  type Command,
  type CommandContext,
  defineAction,
} from '../../../src/bridge/commands/command.ts';
import { createRunner, openServer, type OpenServer } from './open-server.ts';

const fifteenMinutes = 15 * 60 * 1000;
const callback = 'POST /interactions/:interaction/:token/callback';

/** A command with one action that takes a question and shows what `run` yields. */
function createCommand(
  shownTo: 'private' | 'channel',
  run: (context: CommandContext, question: string) => AsyncIterable<string>,
): Command {
  const action = defineAction({
    description: 'ask',
    shownTo,
    options: { question: { type: 'text', description: 'ask question', maxLength: 2_000 } },
    run: (context, { question = '' }) => run(context, question),
  });
  return { name: 'test', description: 'ask', action };
}

const askCommand = (run?: (context: CommandContext) => void) =>
  createCommand('private', async function* ask(context, question) {
    run?.(context);
    yield `Asked, ${await context.ask(question)}.`;
  });

function use(server: OpenServer, channel: string, question = 'Why?') {
  const options = [{ name: 'question', value: question }];
  return server.discord.command({ user: 'ada', channel, name: 'test', options });
}

/** The texts that can be seen in a channel, by the person they are for alone or by everyone. */
function texts(server: OpenServer, channel: string): string[] {
  return server.discord.messages(channel).map(({ content }) => content);
}

test('a shared result is seen by everyone, each text in place of the one before', async () => {
  await using server = await openServer();
  const command = createCommand('channel', async function* run(context, question) {
    yield `One ${question}`;
    yield `Two ${context.requester.name} ${context.platform} ${context.locale}`;
  });
  await server.connect({ commands: createRunner([command]) });
  const { acknowledgement } = await use(server, '#general');
  expect(await acknowledgement).toMatchObject({ kind: 'deferred' });
  const shown = await server.shown(server.channel('general'), 'Two Ada discord en-US');
  expect(shown.ephemeralFor).toBeUndefined();
  expect(shown.flags & 4).toBe(4);
  expect(server.discord.messages(server.channel('general'))).toHaveLength(1);
});

test('a moment is left to Discord to show, in each reader’s own time zone', async () => {
  await using server = await openServer();
  const command = createCommand('private', async function* run({ renderMoment }) {
    yield `Since ${renderMoment?.(1_789_000_000)}, said <@80351110224678912> <t:1:R>`;
  });
  await server.connect({ commands: createRunner([command]) });
  await use(server, '#general');
  const shown = await server.shown(server.channel('general'), /^Since/);
  expect(shown.content).toBe(
    'Since <t:1789000000:f>, said <\u200B@80351110224678912> <\u200Bt:1:R>',
  );
});

test('texts that come fast are not all shown, the last always is', async () => {
  await using server = await openServer();
  const pauses: number[] = [];
  const command = createCommand('channel', async function* run() {
    for (let count = 1; count <= 50; count += 1) yield `Count ${count}`;
  });
  const sleep = async (ms: number) => void pauses.push(ms);
  await server.connect({ commands: createRunner([command]), sleep });
  await use(server, '#general');
  const shown = await server.shown(server.channel('general'), 'Count 50');
  expect(server.discord.revisions(shown.id).length).toBeLessThan(10);
});

test('a last text that hits a rate limit is shown when the limit has passed', async () => {
  await using server = await openServer();
  const pauses: number[] = [];
  const command = createCommand('private', async function* run() {
    yield 'Done';
  });
  const sleep = async (ms: number) => void pauses.push(ms);
  await server.connect({ commands: createRunner([command]), sleep });
  const method = 'PATCH /webhooks/:application/:token/messages/:message';
  server.discord.faults.inject({ method, times: 2, retryAfter: 3 });
  await use(server, '#general');
  await server.shown(server.channel('general'), 'Done');
  expect(Math.max(...pauses)).toBeGreaterThanOrEqual(3_000);
});

test('a text that a rate limit holds back for an hour is shown where there is none', async () => {
  await using server = await openServer();
  const command = createCommand('private', async function* run() {
    yield 'Done';
  });
  await server.connect({ commands: createRunner([command]) });
  const method = 'PATCH /webhooks/:application/:token/messages/:message';
  server.discord.faults.inject({ method, times: 100, retryAfter: 3_600 });
  await use(server, '#general');
  const direct = server.discord.directChannel('ada').id;
  expect(await server.shown(direct, /^Done/)).toMatchObject({ author: { bot: true } });
});

test('a long result takes several messages, and fewer again when it gets shorter', async () => {
  await using server = await openServer();
  const long = Array.from({ length: 120 }, (_, index) => `- source number ${index} is ready`);
  const shorten = Promise.withResolvers<void>();
  const command = createCommand('private', async function* run() {
    yield long.join('\n');
    await shorten.promise;
    yield 'Short';
  });
  const sleep = async () => {};
  await server.connect({ commands: createRunner([command]), sleep });
  await use(server, '#general');
  const general = server.channel('general');
  await server.shown(general, /number 119/);
  const shown = server.discord.messages(general);
  expect(shown.length).toBeGreaterThan(1);
  expect(shown.every(({ ephemeralFor }) => ephemeralFor)).toBe(true);
  expect(shown.map(({ content }) => content).join('\n')).toBe(long.join('\n'));
  const removed = server.discord.changes.waitFor(
    (change) => change.kind === 'message' && change.event === 'removed',
  );
  shorten.resolve();
  await removed;
  expect(texts(server, general)).toEqual(['Short']);
});

test('a question in a thread, voice chat or direct channel is answered in place, and says so', async () => {
  await using server = await openServer();
  const contexts: CommandContext[] = [];
  const commands = createRunner([askCommand((context) => contexts.push(context))]);
  const { heard } = await server.connect({ commands });
  const { discord, mention } = server;
  await discord.say({ user: 'ada', channel: '#general', content: `${mention} Thread?` });
  const { thread, id } = await heard('Thread?');
  await thread.post({ markdown: 'Thread.' });

  await use(server, id, 'In the thread?');
  const inThread = await heard('In the thread?');
  expect(inThread.thread.address).toEqual(thread.address);
  expect(contexts[0]).toMatchObject({
    channel: server.channel('general'),
    workspace: discord.guildId,
  });

  const direct = discord.directChannel('ada').id;
  await use(server, '@', 'Directly?');
  const inDirect = await heard('Directly?');
  expect(inDirect).toMatchObject({
    addressed: 'direct',
    thread: { address: { workspace: 'dm', channel: direct, thread: direct } },
  });

  const lounge = discord.addChannel('voice', 'Lounge').id;
  await use(server, lounge, 'In a voice chat?');
  const inVoice = await heard('In a voice chat?');
  expect(inVoice.thread.address).toMatchObject({ channel: lounge, thread: lounge });
  for (const place of [id, direct, lounge]) await server.shown(place, 'Asked, here.');
});

test('a question of max length is posted whole', async () => {
  await using server = await openServer();
  const { heard } = await server.connect({ commands: createRunner([askCommand()]) });
  const question = `${'word '.repeat(399)}end?`;
  await use(server, '#general', question);
  const { id } = await heard(question);
  const shown = texts(server, server.channel('general')).filter(
    (text) => !['', 'Asked, thread.'].includes(text),
  );
  expect(shown.join(' ').replaceAll(/\s+/g, ' ')).toBe(`**Ada** asks: ${question}`);
  const last = server.discord.messages(server.channel('general')).find((each) => each.id === id);
  expect(last?.content).toMatch(/end\?$/);
});

test('a command that came too late is run all the same, and answered in the channel', async () => {
  await using server = await openServer();
  const command = createCommand('channel', async function* run() {
    yield 'Late';
  });
  await server.connect({ commands: createRunner([command]) });
  server.discord.faults.inject({ method: callback, times: 1, status: 404, error: 10_062 });
  await use(server, '#general');
  const shown = await server.shown(server.channel('general'), 'Late');
  expect(shown.type).toBe(0);
});

test('a private result that comes too late goes to the person directly', async () => {
  await using server = await openServer();
  const command = createCommand('private', async function* run() {
    yield 'Late, for you';
  });
  await server.connect({ commands: createRunner([command]) });
  server.discord.faults.inject({ method: callback, times: 1, status: 404, error: 10_062 });
  await use(server, '#general');
  await server.shown(
    server.discord.directChannel('ada').id,
    /^Late, for you\s+.*I can’t answer in the channel/,
  );
  expect(texts(server, server.channel('general'))).toEqual([]);
});

test('a command in a thread that is locked and archived is answered directly', async () => {
  await using server = await openServer();
  const { discord, mention } = server;
  const command = createCommand('private', async function* run() {
    yield 'Here, for you';
  });
  const { heard } = await server.connect({ commands: createRunner([command]) });
  await discord.say({ user: 'ada', channel: '#general', content: `${mention} Thread?` });
  const { thread, id } = await heard('Thread?');
  await thread.post({ markdown: 'Thread.' });
  discord.changePost({ user: 'ada', post: id, archived: true, locked: true });
  await use(server, id);
  await server.shown(discord.directChannel('ada').id, /^Here, for you/);
  expect(texts(server, id)).toEqual(['Thread.']);
});

test('after fifteen minutes, a result goes on in a message of the channel, edited in place', async () => {
  let ahead = 0;
  await using server = await openServer({ now: () => Date.now() + ahead });
  const expire = Promise.withResolvers<void>();
  const command = createCommand('channel', async function* run() {
    yield 'Waiting';
    await expire.promise;
    yield 'Nearly';
    yield 'Ready';
  });
  const sleep = async () => {};
  await server.connect({ commands: createRunner([command]), sleep });
  await use(server, '#general');
  const general = server.channel('general');
  const waiting = await server.shown(general, 'Waiting');
  ahead = fifteenMinutes;
  expire.resolve();
  const ready = await server.shown(general, 'Ready');
  expect(ready.id).not.toBe(waiting.id);
  expect(texts(server, general)).toEqual(['Waiting', 'Ready']);
});

test('an acknowledgement whose response was lost counts', async () => {
  await using server = await openServer();
  const command = createCommand('private', async function* run() {
    yield 'Seen';
  });
  await server.connect({ commands: createRunner([command]) });
  server.discord.faults.inject({ method: callback, times: 1, status: 502, afterEffect: true });
  await use(server, '#general');
  const shown = await server.shown(server.channel('general'), 'Seen');
  expect(shown.ephemeralFor).toBeDefined();
});
