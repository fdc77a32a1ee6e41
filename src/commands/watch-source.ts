import { type DataSource, sourceProgress } from '../api/data-source.ts';
import type { ChatbotClient } from '../chatbot/chatbot-client.ts';
import type { Bindings } from '../conversation/ports.ts';
import type { CommandContext } from './command.ts';
import { renderSource } from './render-source.ts';

/** What the commands on sources need. */
export interface SourceService extends Bindings {
  client: Pick<ChatbotClient, 'uploadDataSource' | 'addUrlSource' | 'listDataSources'>;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

const firstWaitMs = 500;
const longestWaitMs = 5000;

/** A source that takes longer goes on alone; `/source list` tells how it ends. */
const mostChecks = 120;

/** Shows how a source comes along, until it is ready or has failed. */
export async function* watchSource(
  service: SourceService,
  chatbot: string,
  source: DataSource,
  context: CommandContext,
): AsyncGenerator<string> {
  let current: DataSource | undefined = source;
  yield renderSource(current);
  for (let check = 0; sourceProgress(current.status) === 'waiting'; check += 1) {
    if (check === mostChecks) {
      yield `${renderSource(current)}\nThis takes long; \`/source list\` tells how it ends.`;
      return;
    }
    await service.sleep(Math.min(firstWaitMs * 1.2 ** check, longestWaitMs), context.signal);
    const sources = await service.client.listDataSources(chatbot, context.signal);
    current = sources.find((each) => each.uuid === source.uuid);
    if (!current) {
      yield '❌ The source was deleted before it was ready.';
      return;
    }
    yield renderSource(current);
  }
}
