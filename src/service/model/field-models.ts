/** What a message costs with each of the field's models, by family and context size in thousands of tokens. */
const families: Record<string, Record<number, number>> = {
  'claude-3-haiku': { 4: 1, 8: 2, 16: 3, 32: 4, 64: 6, 128: 12 },
  'claude-3-opus': { 2: 16, 4: 40, 8: 80, 16: 135, 32: 225, 64: 375, 128: 675 },
  'claude-3.5-haiku': { 2: 1, 4: 2, 8: 4, 16: 7, 32: 12, 64: 20, 128: 36 },
  'claude-3.5-sonnet': { 2: 4, 4: 8, 8: 16, 16: 27, 32: 45, 64: 75, 128: 135 },
  'claude-3.7-sonnet': { 2: 4, 4: 8, 8: 16, 16: 27, 32: 45, 64: 75, 128: 135, 200: 412 },
  'claude-4.0-opus': { 2: 21, 4: 41, 8: 82, 16: 165, 32: 330, 64: 660, 128: 1200, 200: 1538 },
  'claude-4.0-sonnet': { 2: 4, 4: 8, 8: 16, 16: 33, 32: 66, 64: 132, 128: 264, 200: 412 },
  'deepseek-chat': { 8: 1, 16: 2, 32: 4, 64: 8 },
  'deepseek-reasoner': { 4: 1, 8: 2, 16: 4, 32: 8, 64: 16 },
  'gemini-1.5-flash': { 64: 1, 128: 1 },
  'gemini-1.5-pro': { 2: 3, 4: 7, 8: 14, 16: 24, 32: 45, 64: 80, 128: 150 },
  'gemini-2.0-flash': { 128: 1 },
  'gemini-2.5-flash-preview': { 16: 1, 32: 3, 64: 4, 128: 7, 256: 13, 500: 25, 1000: 48 },
  'gemini-2.5-flash-preview-thinking': {
    4: 1,
    8: 3,
    16: 6,
    32: 12,
    64: 23,
    128: 46,
    256: 81,
    500: 92,
    1000: 115,
  },
  'gemini-2.5-pro-preview': {
    2: 2,
    4: 5,
    8: 10,
    16: 19,
    32: 39,
    64: 78,
    128: 155,
    256: 456,
    500: 647,
    1000: 1037,
  },
  'gpt-3.5-turbo': { 4: 1, 16: 4 },
  'gpt-4-0125-preview': { 1: 5, 2: 10, 4: 20, 8: 35, 16: 60, 32: 120, 64: 220, 128: 426 },
  'gpt-4.1': { 2: 2, 4: 5, 8: 9, 16: 19, 32: 38, 64: 76, 128: 141, 256: 221, 500: 374, 1000: 686 },
  'gpt-4.1-mini': { 4: 1, 8: 2, 16: 4, 32: 8, 64: 15, 128: 28, 256: 44, 500: 75, 1000: 137 },
  'gpt-4.1-nano': { 16: 1, 32: 2, 64: 4, 128: 7, 256: 11, 500: 19, 1000: 34 },
  'gpt-4o': { 1: 3, 2: 5, 4: 10, 8: 20, 16: 40, 32: 60, 64: 120, 128: 160 },
  'gpt-4o-mini': { 4: 1, 16: 2, 32: 6, 64: 10, 128: 15 },
  'gpt-5': { 2: 2, 4: 5, 8: 10, 16: 19, 32: 39, 64: 78, 128: 155, 256: 310, 400: 484 },
  'gpt-5-mini': { 4: 1, 8: 2, 16: 4, 32: 8, 64: 15, 128: 31, 256: 62, 400: 97 },
  'gpt-5-nano': { 16: 1, 32: 2, 64: 3, 128: 6, 256: 12, 400: 19 },
  o1: { 1: 8, 2: 16, 4: 36, 8: 72, 16: 120, 32: 200, 64: 360, 128: 600, 200: 1781 },
  o3: { 2: 2, 4: 5, 8: 9, 16: 19, 32: 38, 64: 76, 128: 152, 200: 238 },
  'o3-mini': { 2: 1, 4: 2, 8: 4, 16: 8, 32: 16, 64: 24, 128: 48, 200: 131 },
  'o3-pro': { 2: 24, 4: 48, 8: 95, 16: 190, 32: 380, 64: 760, 128: 1520, 200: 2375 },
  'o4-mini': { 2: 1, 4: 3, 8: 5, 16: 10, 32: 21, 64: 42, 128: 84, 200: 131 },
};

interface FieldModel {
  contextTokens: number;
  /** In the field's credits for a message. Nothing is charged here. */
  cost: number;
}

/**
 * The names that clients of the field give to models, such as `gpt-4o-8k`, from its public Python
 * client; and two names without a size, from the interface (§4.2).
 */
export const fieldModels: ReadonlyMap<string, FieldModel> = new Map([
  ['gpt-3.5-turbo', { contextTokens: 4000, cost: 1 }],
  ['gpt-4', { contextTokens: 8000, cost: 35 }],
  ...Object.entries(families).flatMap(([family, costs]) =>
    Object.entries(costs).map(([thousands, cost]): [string, FieldModel] => [
      `${family}-${thousands}k`,
      { contextTokens: Number(thousands) * 1000, cost },
    ]),
  ),
]);
