import { existsSync } from 'node:fs';
import { nameOfPlace, servicePlace } from '../../app/databases.ts';
import type { FirstChatbot } from '../../app/first-start.ts';
import { createChatbotClient } from '../../bridge/chatbot/chatbot-client.ts';
import { ChatbotError } from '../../bridge/conversation/errors.ts';
import type { StoreReader } from '../../bridge/stores/open-store.ts';
import type { Config } from '../../config/config.ts';
import { readChatbotName } from '../../service/store/chatbot-store.ts';
import { openFile } from '../../shared/stores/open-error.ts';
import { serviceMigrations, type ServiceTables } from '../../service/store/schema.ts';
import { openToRead } from '../../shared/stores/open-database.ts';
import {
  type Check,
  fault,
  type Line,
  ok,
  once,
  runChecks,
  Trouble,
  unchecked,
  unreachable,
} from './check.ts';
import { modelChecks } from './model-checks.ts';

/**
 * Checks the chatbot service that the configuration names: a hosted one, or the built-in one.
 * @param variable whose value alone is checked; everything by default
 */
export async function examineChatbot(
  config: Config,
  store: StoreReader | undefined,
  variable?: string,
): Promise<Line[]> {
  const { chatbot } = config;
  if (chatbot.kind === 'embedded') {
    return [
      ...(await runChecks(builtInChecks, { config, store })),
      ...(await runChecks(modelChecks, chatbot)),
    ];
  }
  await using client = createChatbotClient({
    baseUrl: chatbot.url,
    apiKey: chatbot.apiKey,
    // Whoever waits for a report soon wants to know whether the service answers.
    timeouts: { connectMs: 5_000, silenceMs: 10_000 },
    retry: { attempts: 2 },
  });
  const questions = {
    list: once(() => client.listChatbots()),
    chatbot: once(() => client.getChatbot(chatbot.uuid)),
  };
  return await runChecks(hostedChecks, questions, variable);
}

/** What is asked of a hosted service, each question once. */
interface HostedQuestions {
  /** Lists chatbots: the address answers, and accepts the key. */
  list(): Promise<unknown>;
  chatbot(): Promise<{ name: string }>;
}

const hostedChecks: readonly Check<HostedQuestions>[] = [
  {
    name: 'Service address',
    variable: 'CHATBOT_API_URL',
    fix: 'Set CHATBOT_API_URL to the address of the service, without /api/v1.',
    async run({ list }) {
      const error = await errorOf(list());
      const kind = error?.kind;
      if (kind === undefined || kind === 'unauthorized') return ok('the service answers.');
      if (kind === 'rate_limited') throw new Trouble('busy', 'the service limits requests now.');
      const isForeign = error?.status === 404 || error?.status === 410;
      if (!isForeign && (kind === 'unavailable' || kind === 'timeout')) {
        throw unreachable('the chatbot service', error);
      }
      throw new Trouble('refused', 'what answers at CHATBOT_API_URL is not a chatbot service.');
    },
  },
  {
    name: 'Service key',
    needs: 'Service address',
    variable: 'CHATBOT_API_KEY',
    fix: 'Create a key at the service, and set CHATBOT_API_KEY to it.',
    async run({ list }) {
      if (!(await errorOf(list()))) return ok('accepted.');
      throw new Trouble('refused', 'the service refuses it.');
    },
  },
  {
    name: 'Chatbot',
    needs: 'Service key',
    variable: 'CHATBOT_UUID',
    fix: 'Set CHATBOT_UUID to the uuid of a chatbot that the key may use.',
    async run({ chatbot }) {
      const kind = (await errorOf(chatbot()))?.kind;
      if (kind === undefined) return ok(`${(await chatbot()).name} answers.`);
      if (kind === 'not_found' || kind === 'unauthorized' || kind === 'invalid') {
        throw new Trouble('refused', 'the service has no such chatbot.');
      }
      throw new Trouble('unreachable', `the service does not return the chatbot (${kind}).`);
    },
  },
];

/** How a call fails; undefined if it doesn't. */
async function errorOf(call: Promise<unknown>): Promise<ChatbotError | undefined> {
  try {
    await call;
    return undefined;
  } catch (error) {
    if (error instanceof ChatbotError) return error;
    throw error;
  }
}

/** The built-in service may be stopped, so its files are read. */
const builtInChecks: readonly Check<{ config: Config; store?: StoreReader }>[] = [
  {
    name: 'Chatbot',
    variable: 'CHATBOT_UUID',
    fix: 'Leave CHATBOT_UUID empty, or set it to a chatbot that the command “chatbot list” shows.',
    async run({ config, store }) {
      const first = await store?.get<FirstChatbot>('chatbot', 'first');
      const uuid = config.chatbot.uuid ?? first?.uuid;
      const place = servicePlace(config);
      if (!uuid || (typeof place === 'string' && !existsSync(place))) {
        return unchecked('not checked: the first start creates it.', 'Run npm start.');
      }
      const name = await openFile(nameOfPlace(place), async () => {
        await using opened = await openToRead<ServiceTables>(place, serviceMigrations);
        return opened && (await readChatbotName(opened.queries, uuid));
      });
      if (name !== undefined) return ok(`${name} answers, in the built-in service.`);
      if (config.chatbot.uuid) throw new Trouble('refused', 'there is no such chatbot.');
      return fault('it was deleted.', 'Restart Causeway, which creates a new one.');
    },
  },
];
