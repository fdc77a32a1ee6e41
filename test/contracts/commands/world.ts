import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DataSource, SourceTag } from '../../../src/shared/api/data-source.ts';
import { vi } from 'vitest';
import { createApp } from '../../../src/app/app.ts';
import {
  type ChatbotClient,
  createChatbotClient,
} from '../../../src/bridge/chatbot/chatbot-client.ts';
import { readConfig } from '../../../src/config/config.ts';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { copyFirstStart } from '../../fixtures/first-start.ts';
import { silentLog } from '../../fixtures/log.ts';
import { sharedExtractor } from '../../fixtures/shared-extractor.ts';
import { startWebsite, type Website } from '../../service/website.ts';
import { type HeldModel, startHeldModel } from './held-model.ts';
import { type RecordedRequests, recordRequests } from './recorded-requests.ts';
import type { Channel, Seats } from './seat.ts';
import { patience } from '../../fixtures/patience.ts';

/** The bridge at work before its built-in service, and the people who use its commands. */
export interface World extends Seats, AsyncDisposable {
  client: ChatbotClient;
  /** The chatbot that answers if none was chosen. */
  chatbot: string;
  /** A page on loopback that the service may fetch. */
  website: Website;
  model: HeldModel;
  /** What the bridge asked of the service. */
  requests: RecordedRequests;
  /** Adds the answer to a question as a source. */
  addSource(question: string): Promise<DataSource>;
  /** Has the member ask, in the channel that commands are used in or another. */
  converse(question: string, channel?: Channel): Promise<Conversation>;
  /** One that the member had in the channel, to be read and not gone on with. */
  conversation(): Promise<Conversation>;
  /** The source of the chatbot with this title, or the file or address. */
  source(name: string): Promise<DataSource | undefined>;
  tag(name: string): Promise<SourceTag | undefined>;
}

/** The session that a question began, and its thread. */
interface Conversation extends Readonly<Record<string, string>> {
  question: string;
  session: string;
  thread: string;
}

const apiKey = 'a-key-for-the-commands-contract';

/** Starts the whole process on a folder of its own. */
export async function openWorld(seats: (sandbox: Sandbox) => Seats): Promise<World> {
  await using parts = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'causeway-'));
  parts.defer(() => rm(folder, { recursive: true, force: true }));
  await copyFirstStart(folder);
  const website = parts.use(await startWebsite());
  const model = parts.use(await startHeldModel());
  const config = readConfig({
    DATA_DIR: folder,
    PORT: '0',
    SERVICE_API_KEYS: apiKey,
    ALLOW_PRIVATE_ADDRESSES: 'on',
    LLM_BASE_URL: model.baseUrl,
    LLM_MODEL: 'small',
  });
  const requests = parts.use(recordRequests());
  const app = parts.use(
    await createApp(config, silentLog, { service: { extractor: sharedExtractor } }),
  );
  if (!app.sandbox) throw new Error('no sandbox');
  requests.from(app.origin);
  // What platforms allow a minute is shown elsewhere: here one person does a day's work in seconds.
  app.sandbox.slack.faults.rateLimits = false;
  app.sandbox.discord.faults.rateLimits = false;
  // The bridge's requests are told from the tests' own by the name of the host.
  const baseUrl = app.origin.replace('127.0.0.1', 'localhost');
  const client = parts.use(createChatbotClient({ baseUrl, apiKey }));
  const [first] = await client.listChatbots();
  if (!first) throw new Error('no chatbot');
  const chatbot = first.uuid;
  await letAskForPeople(client, chatbot);
  await client.createSourceTag(chatbot, { name: 'Always there', color: '#123456' });
  await client.addQaSource(chatbot, { question: 'Always known', answer: 'Yes.' });
  const people = seats(app.sandbox);

  async function converse(question: string, channel?: Channel): Promise<Conversation> {
    const before = await countTurns(app.origin);
    const thread = await people.member.mention(question, /At nine/, channel);
    // The answer is shown a moment before its turn is stored as the thread's last.
    await vi.waitUntil(async () => (await countTurns(app.origin)) > before, patience);
    const sessions = await client.listSessions(chatbot);
    const asked = await Promise.all(
      sessions.map(async ({ uuid }) => ({ uuid, messages: await client.listMessages(uuid) })),
    );
    const mine = asked.find(({ messages }) => messages.some(({ query }) => query === question));
    if (!mine) throw new Error(`no session with ${question}`);
    return { question, session: mine.uuid, thread };
  }

  await converse('Is it always open?');
  let conversation: Promise<Conversation> | undefined;
  const running = parts.move();
  return {
    ...people,
    client,
    chatbot,
    website,
    model,
    requests,
    async addSource(question) {
      const answer = `What to say of “${question}”.`;
      return (await client.addQaSource(chatbot, { question, answer })).source;
    },
    converse,
    conversation: () => (conversation ??= converse('When is it open?')),
    async source(name) {
      const sources = await client.listDataSources(chatbot);
      return sources.find(({ title, file_name: file }) => title === name || file === name);
    },
    async tag(name) {
      return (await client.listSourceTags(chatbot)).find((tag) => tag.name === name);
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Before anyone asks anything: the bridge looks at this about once a minute. */
async function letAskForPeople(client: ChatbotClient, chatbot: string): Promise<void> {
  const [agent] = await client.listAgents(chatbot);
  await client.updateAgent(agent?.uuid ?? '', {
    human_escalation_settings: {
      human_requested_message: 'Someone will come.',
      monitored_messages: ['a person please'],
    },
  });
}

/** How many turns have ended, by the process's metrics. */
async function countTurns(origin: string): Promise<number> {
  const metrics = await (await fetch(`${origin}/metrics`)).text();
  const counts = metrics.matchAll(/^causeway_turns_total\{.*\} (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}
