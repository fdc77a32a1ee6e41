import { extractiveModel } from './answer/answers.ts';
import type { LanguageModel } from './answer/language-model.ts';

/** The model names that agents can use. */
export interface Models {
  /** For agents without a model. */
  default: string;
  list(signal: AbortSignal): Promise<string[]>;
}

/** The models of the configured server, or a single name if there is none. */
export function createModels(model: LanguageModel | undefined): Models {
  return model
    ? { default: model.defaultModel, list: (signal) => model.list(signal) }
    : { default: extractiveModel, list: () => Promise.resolve([extractiveModel]) };
}
