import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DefaultRestOptions } from 'discord.js';
import { pino } from 'pino';
import { createChatbotClient } from '../../../src/bridge/chatbot/chatbot-client.ts';
import type { Platform } from '../../../src/bridge/conversation/platform.ts';
import type { Thread, WriteBudget } from '../../../src/bridge/conversation/thread.ts';
import { createCore } from '../../../src/app/core.ts';
import { createDiscordPlatform } from '../../../src/bridge/discord/discord-platform.ts';
import { createSlackPlatform } from '../../../src/bridge/slack/slack-platform.ts';
import { openStore } from '../../../src/bridge/stores/open-store.ts';
import { readBare } from './bare.ts';
import type { PlatformName } from './people.ts';
import { type HotFunction, startProfile } from './hot-functions.ts';
import { answerQuestions } from './process.ts';
import type { Script } from './script.ts';
import type { WorldAddress } from './world.ts';
import { prepareRequests } from '../../../src/cli/prepare-requests.ts';
import { usualOptions } from '../../fixtures/conversation-tools.ts';
import { createPlainRunner } from '../../fixtures/plain-runner.ts';
import { openAccess } from '../../fixtures/open-tenancy.ts';
import { createFakeBindings } from '../../fixtures/fake-bindings.ts';

/** The bridge alone in a process, so that its time and memory are known. */

export interface Usage {
  /** Of all CPUs together, since the process began. */
  cpuMs: number;
  /** The most it was since `usage` was asked last. */
  rssMb: number;
}

interface Start {
  name: PlatformName;
  address: WorldAddress;
  unlimited: boolean;
}

await prepareRequests({});
const commands = createPlainRunner({ commands: [], async *run() {} });
const log = pino({ level: process.env['LOG_LEVEL'] ?? 'fatal' }, pino.destination(2));
const sampleEveryMs = 500;

let turns = 0;
let whenIdle: (() => void) | undefined;
let apart = false;
const asked = new Set<string>();
let rssMb = 0;
let stopProfile = async (): Promise<HotFunction[]> => [];

function createPlatform(name: PlatformName, address: WorldAddress): Platform {
  return name === 'slack'
    ? createSlackPlatform({ ...address.slack, commands, log })
    : createDiscordPlatform({ ...address.discord, commands, log });
}

/** The thread with budgets of its own, as though nobody else were in its workspace. */
function setApart(thread: Thread): Thread {
  const own = (budget: WriteBudget) => ({
    ...budget,
    within: undefined,
    key: `${budget.key}:${thread.address.thread}`,
  });
  return {
    ...thread,
    get budgets() {
      const { post, edit } = thread.budgets;
      return { post: own(post), edit: own(edit) };
    },
  };
}

const doings = {
  async start({ name, address, unlimited }: Start): Promise<void> {
    // Discord.js has a limit of its own for all calls together, below which it begins to wait.
    if (unlimited) Object.assign(DefaultRestOptions, { globalRequestsPerSecond: 1e9 });
    const folder = mkdtempSync(join(tmpdir(), 'causeway-bench-'));
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    const platform = createPlatform(name, address);
    const store = await openStore(`sqlite:${join(folder, 'store.sqlite')}`);
    const { conversation } = createCore({
      ...usualOptions,
      client: createChatbotClient({ baseUrl: address.upstream, apiKey: 'bench' }),
      serviceLimits: { timeoutMs: 60_000, maxReplyMs: 900_000 },
      store,
      // The workspace that the platform tells of is at home.
      ...openAccess(store, { workspaces: [] }),
      bindings: createFakeBindings('bench'),
      platforms: [platform],
      reports: {
        ...usualOptions.reports,
        turnEnded() {
          turns -= 1;
          if (turns === 0) whenIdle?.();
        },
      },
      log,
    });
    const read = platform.read.bind(platform);
    platform.read = async (event, place) => {
      const message = await read(event, place);
      return message && apart ? { ...message, thread: setApart(message.thread) } : message;
    };
    await platform.start({
      ...conversation,
      async received(delivery) {
        // Slack delivers a mention as two events.
        if (!delivery.isOverheard && !asked.has(delivery.id)) {
          turns += 1;
          asked.add(delivery.id);
        }
        await conversation.received(delivery);
      },
    });
  },
  /** From now on each thread has budgets of its own, or no longer. */
  setApart(each: boolean): void {
    apart = each;
  },
  /** Resolves once no turn is left. */
  async idle(): Promise<void> {
    if (turns > 0) await new Promise<void>((resolve) => (whenIdle = resolve));
  },
  /** From now on this process is sampled. */
  async startProfile(): Promise<void> {
    stopProfile = await startProfile();
  },
  stopProfile: () => stopProfile(),
  readBare: ({ upstream, scripts }: { upstream: string; scripts: Script[] }) =>
    readBare(upstream, scripts),
  usage(): Usage {
    const { user, system } = process.cpuUsage();
    const most = Math.max(rssMb, readRss());
    rssMb = 0;
    return { cpuMs: (user + system) / 1000, rssMb: most };
  },
};

function readRss(): number {
  return process.memoryUsage.rss() / 1024 / 1024;
}

setInterval(() => {
  rssMb = Math.max(rssMb, readRss());
}, sampleEveryMs).unref();

export type Bridge = typeof doings;

answerQuestions(doings);
