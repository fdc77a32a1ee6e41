import { type Environment, readSecret, readUrl, readWhole } from './environment.ts';

/** A model behind an OpenAI-compatible server. */
export interface ModelServerConfig {
  baseUrl: string;
  apiKey?: string;
  model: string;
}

/** A language model, and how it is asked. What is not set is the server's default. */
export interface LanguageModelConfig extends ModelServerConfig {
  temperature?: number;
  /** Max tokens of a reply. */
  maxTokens?: number;
  /** How many tokens the model can read and write. */
  contextTokens?: number;
}

/** Reads LLM_BASE_URL and the other variables of the language model. */
export function readLanguageModel(environment: Environment): LanguageModelConfig | undefined {
  const server = readModelServer(environment, 'LLM');
  const temperature = readTemperature(environment);
  const maxTokens = readWhole(environment, 'LLM_MAX_TOKENS', { min: 16, max: 1_000_000 });
  const contextTokens = readWhole(environment, 'LLM_CONTEXT_TOKENS', {
    min: 1024,
    max: 100_000_000,
  });
  return server && { ...server, temperature, maxTokens, contextTokens };
}

function readTemperature(environment: Environment): number | undefined {
  const value = environment.read('LLM_TEMPERATURE');
  if (value === undefined) return undefined;
  const temperature = Number(value);
  if (temperature >= 0 && temperature <= 2) return temperature;
  environment.fault('LLM_TEMPERATURE', `is "${value}". Use a number from 0 to 2, such as 0.2.`);
  return undefined;
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
