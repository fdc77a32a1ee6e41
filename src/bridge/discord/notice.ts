import type { Client } from 'discord.js';
import { takeSegment } from '../conversation/markdown/split-markdown.ts';
import { noWorkspace } from '../conversation/address.ts';
import { PlatformError } from '../conversation/platform-error.ts';
import type { Notice } from '../conversation/ports.ts';
import { toPlatformError } from './errors.ts';
import { textLimits } from './message.ts';
import { renderMarkdown } from './render.ts';
import type { Writer } from './writer.ts';
import { inSteps } from '../../shared/primitives/in-steps.ts';

/** docs.discord.com/developers/reference#snowflakes. */
const userId = /^\d{1,20}$/;

const maxPeople = 20;

/**
 * Posts a notice to a channel, or to a person as a direct message: elsewhere, Discord shows something
 * to one person alone only in answer to them. A text that is too long is cut.
 * Pings only the people it names, and nobody else whom the text mentions.
 * @throws {PlatformError}
 */
export async function sendNotice(
  { writer, client }: { writer: Writer; client: Client | undefined },
  { workspace, to, markdown, people = [] }: Notice,
  signal?: AbortSignal,
): Promise<void> {
  if ('channel' in to && client) await checkWorkspace(client, to.channel, workspace);
  const channel = 'channel' in to ? to.channel : await writer.openDirect(to.person);
  const called = people.filter((id) => userId.test(id)).slice(0, maxPeople);
  const calls = called.map((id) => `<@${id}> `).join('');
  const fits = (text: string) => textLimits.fits(calls + text);
  const { segment } = await inSteps(takeSegment(markdown, { fits }));
  await writer.post(channel, { text: calls + renderMarkdown(segment), people: called }, { signal });
}

/** Ids that people type may be those of other servers' channels. */
async function checkWorkspace(client: Client, id: string, workspace: string): Promise<void> {
  const channel = await client.channels.fetch(id).catch((error: unknown) => {
    throw toPlatformError(error);
  });
  const server = channel && 'guildId' in channel ? channel.guildId : noWorkspace;
  if (server !== workspace) throw new PlatformError('gone', 'channel_gone');
}
