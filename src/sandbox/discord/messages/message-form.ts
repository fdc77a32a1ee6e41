import { z } from 'zod';
import { addFault, list, measure, snowflake, text } from '../validation.ts';
import { componentsSchema } from './components.ts';
import { embedsSchema } from './embeds.ts';

const maxContentLength = 2_000;
const maxNonceLength = 25;

const allowedMentionsSchema = z
  .object({
    parse: z.array(z.enum(['roles', 'users', 'everyone'])).nullish(),
    roles: list(snowflake, 0, 100).nullish(),
    users: list(snowflake, 0, 100).nullish(),
    replied_user: z.boolean().nullish(),
  })
  .superRefine(({ parse, roles, users }, context) => {
    const lists = { roles, users };
    for (const kind of ['roles', 'users'] as const) {
      if (!parse?.includes(kind) || !lists[kind]?.length) continue;
      addFault(
        context,
        {
          code: 'MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE',
          message: `parse:["${kind}"] and ${kind}: [ids...] are mutually exclusive.`,
        },
        ['parse'],
      );
    }
  });

/** The mentions that a message may notify. */
export type AllowedMentions = z.infer<typeof allowedMentionsSchema>;

const nonce = z.union([z.string(), z.int()]).superRefine((value, context) => {
  const error = measure(String(value).length, 0, maxNonceLength);
  if (error) addFault(context, error);
});

/** The body of a message to create or edit: https://docs.discord.com/developers/resources/message#create-message */
export const messageSchema = z.object({
  content: text(0, maxContentLength).nullish(),
  nonce: nonce.nullish(),
  enforce_nonce: z.boolean().nullish(),
  tts: z.boolean().nullish(),
  embeds: embedsSchema.nullish(),
  components: componentsSchema.nullish(),
  flags: z.int().min(0).nullish(),
  allowed_mentions: allowedMentionsSchema.nullish(),
  message_reference: z
    .object({
      message_id: snowflake,
      channel_id: snowflake.nullish(),
      guild_id: snowflake.nullish(),
      fail_if_not_exists: z.boolean().nullish(),
    })
    .nullish(),
  attachments: z
    .array(
      z.object({
        id: z.union([z.string(), z.int()]).transform(String),
        filename: z.string().nullish(),
        description: text(0, 1024).nullish(),
      }),
    )
    .nullish(),
  poll: z.unknown().optional(),
  sticker_ids: z.array(snowflake).nullish(),
});

export type MessageForm = z.infer<typeof messageSchema>;

/** https://docs.discord.com/developers/resources/message#message-object-message-flags */
export const MessageFlag = {
  SuppressEmbeds: 1 << 2,
  Ephemeral: 1 << 6,
  Loading: 1 << 7,
  SuppressNotifications: 1 << 12,
  HasSnapshot: 1 << 14,
  ComponentsV2: 1 << 15,
} as const;
