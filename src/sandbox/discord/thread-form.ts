import { z } from 'zod';
import { ChannelType } from './documents.ts';
import { text } from './validation.ts';

const name = text(1, 100);
const autoArchive = z.literal([60, 1440, 4320, 10_080]);

/** https://docs.discord.com/developers/resources/channel#start-thread-from-message */
export const messageThreadSchema = z.object({
  name,
  auto_archive_duration: autoArchive.nullish(),
});

/** https://docs.discord.com/developers/resources/channel#start-thread-without-message */
export const threadSchema = messageThreadSchema.extend({
  type: z.literal([ChannelType.PublicThread, ChannelType.PrivateThread]).nullish(),
});

/** https://docs.discord.com/developers/resources/channel#modify-channel, for a thread. */
export const threadChangeSchema = z.object({
  name: name.nullish(),
  archived: z.boolean().nullish(),
  locked: z.boolean().nullish(),
  auto_archive_duration: autoArchive.nullish(),
});

export type MessageThreadForm = z.infer<typeof messageThreadSchema>;
export type ThreadForm = z.infer<typeof threadSchema>;
export type ThreadChange = z.infer<typeof threadChangeSchema>;
