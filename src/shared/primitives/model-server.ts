/** A model behind a server with OpenAI's API. */
export interface ModelServer {
  /** Such as `https://api.openai.com/v1`; can have a query. */
  baseUrl: string;
  apiKey?: string;
  model: string;
}

/** A language model: that of agents without one, and of those whose model the server does not know. */
export interface LanguageModelOptions extends ModelServer {
  /** Whether the model reads pictures. Default false. */
  vision?: boolean;
  /** For agents without one. Absent: the server's default. */
  temperature?: number;
  /** Max tokens of a reply. Absent: the server's default. */
  maxTokens?: number;
  /** How many tokens the model can read and write. Absent: the server is asked. */
  contextTokens?: number;
}
