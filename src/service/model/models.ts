import type { LanguageModel } from './language-model.ts';
import { isSame } from './model-catalog.ts';
import { fieldModels } from './field-models.ts';
import { HttpError } from '../http-error.ts';

/** The model names that agents can use. */
export interface Models {
  /** For agents without a model. */
  default: string;
  /** What a message costs with each: the default model, the server's, and the field's. */
  listCosts(signal: AbortSignal): Promise<Record<string, number>>;
  /** @throws {HttpError} 422 when agents can't use a model of this name */
  require(name: string, signal: AbortSignal): Promise<void>;
}

/** The model name that agents and messages show when there is no language model. */
export const extractiveModel = 'extractive';

const maxNamed = 10;

/**
 * The default model, those that the configured server lists, and those of the field. A name of the
 * field that the server doesn't know is answered by the default model.
 */
export function createModels(model: LanguageModel | undefined): Models {
  const usual = model?.defaultModel ?? extractiveModel;
  const listServed = async (signal: AbortSignal) => (await model?.list(signal)) ?? [usual];

  return {
    default: usual,

    async listCosts(signal) {
      const served = (await listServed(signal)).map((name) => [name, 0] as const);
      const field = [...fieldModels].map(([name, { cost }]) => [name, cost] as const);
      return Object.fromEntries([...served, ...field]);
    },

    async require(name, signal) {
      if (name === usual || fieldModels.has(name)) return;
      const served = await listServed(signal);
      if (served.some((listed) => isSame(listed, name))) return;
      const models = served.slice(0, maxNamed);
      throw new HttpError(422, { code: 'agent_model_unknown', params: { model: name, models } });
    },
  };
}
