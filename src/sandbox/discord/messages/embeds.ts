import { z } from 'zod';
import { addFault, countCharacters, list, text } from '../validation.ts';

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

type Embed = z.infer<typeof embedSchema>;

/** A message's embeds: at most ten, with six thousand characters in total. */
export const embedsSchema = list(embedSchema, 0, 10).superRefine((embeds, context) => {
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
export function toEmbed(embed: Embed): object {
  const given = Object.entries(embed).filter(([, value]) => value !== null && value !== undefined);
  return { type: 'rich', ...Object.fromEntries(given) };
}
