import { extractiveModel } from './answer/answers.ts';
import type { LanguageModel } from './answer/language-model.ts';

/** What agents may name as their model. */
export interface Models {
  /** For agents that name none. */
  default: string;
  list(signal: AbortSignal): Promise<string[]>;
}

/** The models of the configured server, or the one name that stands for none. */
export function createModels(model: LanguageModel | undefined): Models {
  return model
    ? { default: model.defaultModel, list: (signal) => model.list(signal) }
    : { default: extractiveModel, list: () => Promise.resolve([extractiveModel]) };
}
