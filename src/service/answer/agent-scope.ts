import type { AgentRecord } from '../store/agent-store.ts';
import type { PassageScope } from '../store/seen-passages.ts';
import type { Store } from '../store/store.ts';

/**
 * What an agent can see: all sources, or its own plus those that currently have its source tags.
 */
export function toScope(
  agent: AgentRecord,
  tags: Pick<Store['tags'], 'listSources'>,
): PassageScope {
  const { chatbot, sources, sourceTags } = agent;
  if (agent.useAllSources) return { chatbot };
  if (sourceTags.length === 0) return { chatbot, sources };
  return { chatbot, sources: [...new Set([...sources, ...tags.listSources(sourceTags)])] };
}
