import type { ChatbotConfig } from '../config/chatbot.ts';
import type { Config } from '../config/config.ts';
import { renderStoreUrl } from '../shared/stores/store-url.ts';
import type { App } from './app.ts';

/** What a process prints once it has started: what it uses, and what is missing. */
export function summarize(config: Config, app: App): string {
  const { origin, chatbot, sandbox, metrics } = app;
  const missing = app.awaited().join(' and ');
  const rows = [
    ['Platforms', sandbox ? 'a sandbox of Slack and Discord' : platformsOf(config).join(' and ')],
    ['Chatbot', chatbot],
    ['Service', serviceOf(config.chatbot, origin)],
    ['Model', modelOf(config.chatbot)],
    ['Store', renderStoreUrl(config.storeUrl)],
    ...(sandbox ? [['Page', origin]] : []),
    ['Health', `${origin}/healthz`],
    ...(metrics ? [['Metrics', `${metrics}/metrics`]] : []),
    ...(missing ? [['Missing', missing]] : []),
  ];
  const table = rows.map(([name = '', value]) => `  ${name.padEnd(11)}${value}`).join('\n');
  const next = sandbox
    ? `\n\nOpen ${origin} and mention @causeway, for example: @causeway How do I add a source?`
    : '';
  return `Causeway is running${missing && `, and still waits for ${missing}`}.\n\n${table}${next}`;
}

function platformsOf({ slack, discord }: Config): string[] {
  const delivery = slack?.delivery.kind === 'socket' ? 'Socket Mode' : 'events over HTTP';
  return [...(slack ? [`Slack (${delivery})`] : []), ...(discord ? ['Discord'] : [])];
}

function serviceOf(chatbot: ChatbotConfig, origin: string): string {
  return chatbot.kind === 'hosted' ? chatbot.url : `built in, at ${origin}/api/v1`;
}

function modelOf(chatbot: ChatbotConfig): string {
  if (chatbot.kind === 'hosted') return 'the service’s own';
  const { llm } = chatbot;
  return llm
    ? `${llm.model} at ${llm.baseUrl}`
    : 'none: answers quote the sources (see LLM_BASE_URL)';
}
