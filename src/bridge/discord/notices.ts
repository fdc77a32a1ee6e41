import { type APIChannel, type Channel, type REST, Routes } from 'discord.js';
import { inSteps } from '../../shared/primitives/steps.ts';
import { noWorkspace } from '../conversation/address.ts';
import { PlatformError } from '../conversation/errors.ts';
import { takeSegment } from '../conversation/markdown/split-markdown.ts';
import type { Notice } from '../conversation/platform.ts';
import type { DiscordContext } from './context.ts';
import { toPlatformError } from './errors.ts';
import { textLimits } from './message.ts';
import { renderMarkdown, showMoments } from './render.ts';

/** docs.discord.com/developers/reference#snowflakes. */
const userId = /^\d{1,20}$/;

const maxPeople = 20;

/**
 * Posts a notice to a channel, or to a person as a direct message: in a channel, Discord shows a
 * message to one person alone only in answer to an interaction. A text that is too long is cut.
 * Pings only the people it names, and nobody else whom the text mentions.
 * @throws {PlatformError}
 */
export async function sendNotice(
  { workspace, to, markdown, people = [] }: Notice,
  discord: DiscordContext,
  signal?: AbortSignal,
): Promise<void> {
  if ('channel' in to) await checkWorkspace(to.channel, workspace, discord);
  const { writer } = discord;
  const channel = 'channel' in to ? to.channel : await writer.openDirect(to.person);
  const called = people.filter((id) => userId.test(id)).slice(0, maxPeople);
  const calls = called.map((id) => `<@${id}> `).join('');
  const fits = (text: string) => textLimits.fits(calls + text);
  const { segment } = await inSteps(takeSegment(markdown, { fits }));
  await writer.post(
    channel,
    { text: calls + showMoments(renderMarkdown(segment)), people: called },
    { signal },
  );
}

/** Checked because people may type the id of another server's channel. */
async function checkWorkspace(
  id: string,
  workspace: string,
  { shards, rest }: DiscordContext,
): Promise<void> {
  const known = shards.channel(id);
  const server = known ? serverOf(known) : await readServer(id, rest);
  if (server !== workspace) throw new PlatformError('gone', 'channel_gone');
}

function serverOf(channel: Channel): string {
  return 'guildId' in channel && channel.guildId !== null ? channel.guildId : noWorkspace;
}

async function readServer(id: string, rest: REST): Promise<string> {
  try {
    const channel = (await rest.get(Routes.channel(id))) as APIChannel;
    return 'guild_id' in channel && channel.guild_id ? channel.guild_id : noWorkspace;
  } catch (error) {
    throw toPlatformError(error);
  }
}
