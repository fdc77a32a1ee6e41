import type { Agent } from '../../shared/api/agent.ts';
import type { DataSource, SourceTag } from '../../shared/api/data-source.ts';
import type { ActionContext } from './command.ts';

/** The sources of the chatbot that answers where a command is used. */
export async function listSources(context: ActionContext): Promise<DataSource[]> {
  const { client, bindings, signal } = context;
  return client.listDataSources(await bindings.chatbotFor(context), signal);
}

/** The tags of that chatbot. */
export async function listTags(context: ActionContext): Promise<SourceTag[]> {
  const { client, bindings, signal } = context;
  return client.listSourceTags(await bindings.chatbotFor(context), signal);
}

/** The agents of that chatbot. */
export async function listAgents(context: ActionContext): Promise<Agent[]> {
  const { client, bindings, signal } = context;
  return client.listAgents(await bindings.chatbotFor(context), signal);
}
