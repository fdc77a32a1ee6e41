import { z } from 'zod';
import {
  Flag,
  LooseBoolean,
  LooseText,
  Name,
  RateLimit,
  Temperature,
  Timestamp,
  unchangedFields,
  Uuid,
  Visibility,
} from './fields.ts';

export const defaultRateLimit: z.infer<typeof RateLimit> = [20, 240];

export const Chatbot = z.looseObject({
  uuid: Uuid,
  name: LooseText,
  created_at: Timestamp,
  modified_at: Timestamp,
  meta: z.looseObject({
    rate_limit: z.array(z.number()).nullish(),
    rate_limit_message: LooseText,
    show_citations: LooseBoolean,
    visibility: LooseText,
    tells_evidence: LooseBoolean.optional().describe(
      'Whether the meta_json of messages tells which replies found no answer (unanswered) or may not answer the question (weak): as long as replies show citations. Other services lack it.',
    ),
  }),
});
export type Chatbot = z.infer<typeof Chatbot>;

const settings = {
  rate_limit: RateLimit.optional(),
  rate_limit_message: z.string().max(2000).optional(),
  show_citations: Flag.optional(),
  visibility: Visibility.optional(),
};

export const ChatbotCreate = z.strictObject({
  name: Name,
  ...settings,
  model: z.string().min(1).max(100).optional(),
  prompt: z.string().max(100_000).optional(),
  temperature: Temperature.optional(),
});
export type ChatbotCreate = z.infer<typeof ChatbotCreate>;

export const ChatbotUpdate = z.strictObject({
  name: Name.optional(),
  ...settings,
  meta: z
    .looseObject(settings)
    .optional()
    .describe('The same settings, as responses have them. Those beside it come first.'),
  ...unchangedFields,
});
export type ChatbotUpdate = z.infer<typeof ChatbotUpdate>;
