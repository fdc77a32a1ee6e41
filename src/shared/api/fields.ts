import { z } from 'zod';

export const Uuid = z
  .string()
  .min(1)
  .max(64)
  .describe(
    'An opaque identifier. This service generates 32 lower-case hex digits; others may differ.',
  );

export const Timestamp = z.string().describe('A time in UTC, such as 2024-09-12T00:19:12Z.');

export const RateLimit = z
  .tuple([z.int().min(1).max(100), z.int().min(1).max(360)])
  .describe('[messages, seconds]: 1 to 100 messages within 1 to 360 seconds. Default [20, 240].');

export const Visibility = z
  .enum(['private', 'public', 'hybrid'])
  .describe('Who can see the chatbot: its owner; via link and embed; via embed only.');

export const Temperature = z.number().min(0).max(1).describe('0 is deterministic.');

export const HexColor = z
  .string()
  .regex(/^#[0-9a-f]{6}$/i, 'must be a colour like #1f2937: # and six hex digits')
  .describe('A colour such as #1f2937: # and six hex digits.');

export const Name = z.string().trim().min(1, 'must not be empty').max(200);

/** A boolean that requests of the field also give as 0 or 1. */
export const Flag = z
  .union([z.boolean(), z.literal([0, 1])], { error: 'must be a boolean' })
  .transform(Boolean);

/** A number that the field sometimes sends as a string, or as null if unknown. */
export const LooseNumber = z
  .union([z.number(), z.string(), z.null()])
  .optional()
  .transform((value) => Number(value ?? 0) || 0);

/** A boolean that the field sometimes sends as 0 or 1. */
export const LooseBoolean = z
  .union([z.boolean(), z.number(), z.null()])
  .optional()
  .transform(Boolean);

/** Text that the field sometimes omits or sends as null. */
export const LooseText = z
  .string()
  .nullish()
  .transform((value) => value ?? '');

/** A list that the field sometimes omits or sends as null. */
export function looseList<Item extends z.ZodType>(item: Item) {
  return z
    .array(item)
    .nullish()
    .transform((value) => value ?? []);
}

/** A list of strings; other values that the field may put in are dropped. */
export const LooseTexts = z
  .union([z.array(z.string()), z.array(z.unknown()), z.null()])
  .optional()
  .transform((values) => (values ?? []).filter((value) => typeof value === 'string'));

/** Values of any kind, by name. */
export const LooseValues = z.record(z.string(), z.unknown()).nullish();

/** What responses have and no update changes: clients send whole resources back. */
export const Unchanged = z.unknown().optional().describe('Ignored: the service sets it.');

export const unchangedFields = { uuid: Unchanged, created_at: Unchanged, modified_at: Unchanged };

export const Success = z.looseObject({ success: z.boolean() });

/** Body of every response other than 200. */
export const ErrorBody = z.looseObject({
  error: z.string().describe('What is wrong and how to fix it, in English.'),
  code: z.string().optional().describe('Names the kind of error; other services lack it.'),
  params: z
    .intersection(
      z.record(z.string(), z.unknown()),
      z.looseObject({ faults: z.array(z.record(z.string(), z.unknown())).optional() }),
    )
    .optional()
    .describe('What the sentence of that code is about; `faults` names the fields that are wrong.'),
});

/**
 * The code and params of an `ErrorBody`, which a `meta_json` has besides a failure's sentence. Other
 * services lack them, or use them for something else.
 */
export const failureFields = {
  error_code: z.string().optional().catch(undefined),
  error_params: z.record(z.string(), z.unknown()).optional().catch(undefined),
};

/** A stored failure, in the form of an `ErrorBody`. */
export type StoredFailure = Pick<z.infer<typeof ErrorBody>, 'error' | 'code' | 'params'>;

/** Names several resources at once. */
export const UuidList = z.strictObject({ uuids: z.array(Uuid).max(1000) });

export const User = z.looseObject({
  data: z.looseObject({ name: z.string().nullish(), email: z.string() }),
});
