import { z } from 'zod';
import { type FieldError, invalidForm, refusal } from '../refusals.ts';
import { addFault, countCharacters, list, measure, snowflake, text } from '../validation.ts';
import { type Component, componentsSchema, ComponentType, flatten } from './components.ts';

const maxCharacters = 6_000;

/** https://docs.discord.com/developers/resources/message#embed-object-embed-limits */
const embedSchema = z.object({
  title: text(0, 256).nullish(),
  description: text(0, 4096).nullish(),
  url: z.string().max(2048).nullish(),
  timestamp: z.string().nullish(),
  color: z.int().min(0).max(0xffffff).nullish(),
  footer: z.object({ text: text(1, 2048), icon_url: z.string().nullish() }).nullish(),
  image: z.object({ url: z.string() }).nullish(),
  thumbnail: z.object({ url: z.string() }).nullish(),
  author: z
    .object({ name: text(1, 256), url: z.string().nullish(), icon_url: z.string().nullish() })
    .nullish(),
  fields: list(
    z.object({ name: text(1, 256), value: text(1, 1024), inline: z.boolean().nullish() }),
    0,
    25,
  ).nullish(),
});

export type Embed = z.infer<typeof embedSchema>;

/** A message's embeds: at most ten, with six thousand characters in total. */
const embedsSchema = list(embedSchema, 0, 10).superRefine((embeds, context) => {
  if (embeds.reduce((total, embed) => total + measureEmbed(embed), 0) <= maxCharacters) return;
  addFault(context, {
    code: 'MAX_EMBED_SIZE_EXCEEDED',
    message: `Embed size exceeds maximum size of ${maxCharacters}`,
  });
});

function measureEmbed({ title, description, footer, author, fields }: Embed): number {
  const texts = [title, description, footer?.text, author?.name];
  for (const { name, value } of fields ?? []) texts.push(name, value);
  return texts.reduce((total, part) => total + countCharacters(part ?? ''), 0);
}

/** An embed as a message shows it. */
export function toEmbed(embed: Embed): Embed {
  const given = Object.entries(embed).filter(([, value]) => value !== null && value !== undefined);
  return { type: 'rich', ...Object.fromEntries(given) } as Embed;
}

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

/** The content of a message. */
export interface Body {
  content: string;
  embeds: readonly object[];
  components: readonly Component[];
  attachments: number;
  flags: number;
}

const maxRows = 5;
const maxComponents = 40;
const maxTextLength = 4_000;
const maxAttachments = 10;

/**
 * @throws {DiscordRefusal} 50006 when the message is empty, 50035 when its components do not fit
 * together or its flags: https://docs.discord.com/developers/components/using-message-components
 */
export function checkBody(body: Body, form: { embeds?: unknown; poll?: unknown }): void {
  const tooMany = measure(body.attachments, 0, maxAttachments);
  if (tooMany) throw invalidForm(['attachments'], tooMany);
  checkUnique(body.components);
  if (body.flags & MessageFlag.ComponentsV2) checkComponentsMessage(body, form);
  else checkOrdinaryMessage(body);
  const parts = body.embeds.length + body.components.length + body.attachments;
  if (body.content === '' && parts === 0) throw refusal(50006);
}

function checkOrdinaryMessage({ components }: Body): void {
  const tooMany = measure(components.length, 0, maxRows);
  if (tooMany) throw invalidForm(['components'], tooMany);
  for (const [index, component] of components.entries()) {
    if (component.type === ComponentType.ActionRow) continue;
    throw invalidForm(['components', index, 'type'], {
      code: 'UNION_TYPE_CHOICES',
      message: 'Value of field "type" must be one of (1,).',
    });
  }
}

/** https://docs.discord.com/developers/components/reference#component-reference */
function checkComponentsMessage(body: Body, form: { embeds?: unknown; poll?: unknown }): void {
  const excluded: FieldError = {
    code: 'MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2',
    message: 'The "IS_COMPONENTS_V2" flag excludes this field.',
  };
  if (body.content !== '') throw invalidForm(['content'], excluded);
  if (body.embeds.length > 0 || hasEntries(form.embeds)) throw invalidForm(['embeds'], excluded);
  if (form.poll) throw invalidForm(['poll'], excluded);
  if (body.components.length === 0) throw refusal(50006);

  const all = flatten(body.components);
  if (all.length > maxComponents) {
    const message = `The number of components exceeds ${maxComponents}`;
    throw invalidForm(['components'], { code: 'COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED', message });
  }
  const length = all.reduce((total, { content }) => total + countCharacters(content ?? ''), 0);
  if (length > maxTextLength) {
    const message = `The text of all components exceeds ${maxTextLength} characters`;
    throw invalidForm(['components'], {
      code: 'COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED',
      message,
    });
  }
}

function checkUnique(components: readonly Component[]): void {
  const ids = flatten(components).flatMap(({ custom_id: id }) => (id === undefined ? [] : [id]));
  if (new Set(ids).size === ids.length) return;
  throw invalidForm(['components'], {
    code: 'COMPONENT_CUSTOM_ID_DUPLICATED',
    message: 'Component custom id cannot be duplicated',
  });
}

function hasEntries(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}
