import { type Environment, readSecret, readUrl } from './environment.ts';

/** A model behind an OpenAI-compatible server. */
export interface ModelServerConfig {
  baseUrl: string;
  apiKey?: string;
  model: string;
}

/** Reads LLM_BASE_URL, LLM_API_KEY and LLM_MODEL, or EMBEDDINGS_BASE_URL and so on. */
export function readModelServer(
  environment: Environment,
  prefix: 'LLM' | 'EMBEDDINGS',
): ModelServerConfig | undefined {
  const baseUrl = readUrl(environment, `${prefix}_BASE_URL`, { query: true });
  const apiKey = readSecret(environment, `${prefix}_API_KEY`);
  const model = environment.read(`${prefix}_MODEL`);
  if (baseUrl === undefined) {
    const problem = `is set without ${prefix}_BASE_URL. Set both, or neither.`;
    if (model) environment.fault(`${prefix}_MODEL`, problem);
    if (apiKey) environment.fault(`${prefix}_API_KEY`, problem);
    return undefined;
  }
  if (!model) {
    environment.fault(
      `${prefix}_MODEL`,
      `is missing. Name the model to use at ${prefix}_BASE_URL.`,
    );
  }
  return { baseUrl, model: model ?? '', apiKey };
}
