import { type BaseInteraction, GatewayIntentBits, PermissionFlagsBits } from 'discord.js';
import { inSteps, inTime } from '../../shared/primitives/time.ts';
import {
  createSharedTarget,
  type ResultTarget,
  showResults,
} from '../commands/adapters/show-results.ts';
import type { ChannelAccess, CommandContext, Names } from '../commands/command.ts';
import type { Invocation, Place, Result } from '../commands/invocation.ts';
import { noWorkspace, type ThreadAddress } from '../conversation/address.ts';
import { isRefusal, PlatformError } from '../conversation/errors.ts';
import { bold } from '../conversation/markdown/plain-text.ts';
import { createSplitter } from '../conversation/markdown/split-markdown.ts';
import type { Author } from '../conversation/platform.ts';
import { retryWrite } from '../conversation/thread.ts';
import { textsFor } from '../texts/texts.ts';
import type { DiscordContext } from './context.ts';
import { findThread } from './incoming-message.ts';
import { textLimits } from './message.ts';
import { toRequester } from './people.ts';
import { renderMarkdown, renderMoment } from './render.ts';
import {
  acknowledge,
  createChannelTarget,
  createDirectMessageTarget,
  createResultTarget,
  createWhisper,
  type InteractionHandle,
} from './result-target.ts';

/** Discord allows three seconds for the acknowledgement, of which a modal may have used half. */
const decidingMs = 700;

/** A command that a person sent. */
export interface SentCommand extends Omit<Invocation, 'context'> {
  /** Where it is used, if its modal was opened elsewhere. */
  place?: Place;
}

/** Where a command was used or a message written, and by whom. */
export interface Origin extends Pick<
  BaseInteraction,
  'client' | 'guild' | 'guildId' | 'channel' | 'channelId'
> {
  requester: Author;
  /** BCP 47, such as `en-US`. */
  locale: string;
}

/** An interaction that the bot can answer. */
export type AnsweredInteraction = BaseInteraction & InteractionHandle;

/**
 * Runs a command and shows its results, after `change` if given.
 * @throws {PlatformError} when a result can't be shown
 */
export async function runCommand(
  interaction: AnsweredInteraction,
  sent: SentCommand,
  discord: DiscordContext,
  change: (result: Result, isPrivate: boolean) => Promise<Result> = async (result) => result,
): Promise<void> {
  const { runner, sleep } = discord;
  const context = await contextOf(interaction, sent.place, discord);
  if (!context) return tell(interaction, textsFor(interaction.locale).forgotten, discord);
  const [accepted, isShared = false] = await Promise.all([
    runner.accept({ ...sent, context }),
    inTime(runner.isShared({ ...sent, context }), decidingMs, sleep),
  ]);
  const target = await findTarget(interaction, { command: sent.command, isShared }, discord);
  const results = runner.run({ ...sent, context: { ...context, accepted } });
  const show = async (result: Result) => target.show(await change(result, !isShared));
  const shown = { ...target, show };
  await showResults(results, shown, sleep);
}

/**
 * Answers an interaction with a text that only its person sees, in a direct message where nothing can
 * be written in place.
 * @throws {PlatformError} `uneditable` when it is too late
 */
export async function tell(
  interaction: AnsweredInteraction,
  markdown: string,
  { rest, writer }: DiscordContext,
): Promise<void> {
  const target = await acknowledge(rest, interaction, true).catch((error: unknown) => {
    if (!isShut(error)) throw error;
    const { notThere } = textsFor(interaction.locale).places;
    return createDirectMessageTarget(writer, interaction.user.id, notThere);
  });
  await createResultTarget([target]).show({ markdown });
}

/** Whether the bot can't write where an interaction took place, however soon it answers. */
function isShut(error: unknown): boolean {
  const isArchived = isRefusal(error, 'uneditable') && error.problem.code === 'thread_archived';
  return isArchived || isRefusal(error, 'forbidden');
}

/** The command's own answer while Discord accepts one, then the channel or a direct message. */
async function findTarget(
  interaction: AnsweredInteraction,
  { command, isShared }: { command: string; isShared: boolean },
  { rest, writer, log }: DiscordContext,
): Promise<ResultTarget> {
  const { notThere } = textsFor(interaction.locale).places;
  const direct = createDirectMessageTarget(writer, interaction.user.id, notThere);
  const channel = createChannelTarget(writer, interaction.channelId ?? '');
  const whisper = createResultTarget([createWhisper(rest, interaction), direct]);
  const toAll = (...targets: Parameters<typeof createResultTarget>[0]) =>
    createSharedTarget({ shared: createResultTarget(targets), own: whisper });
  try {
    const answer = await acknowledge(rest, interaction, !isShared);
    return isShared ? toAll(answer, channel, direct) : createResultTarget([answer, direct]);
  } catch (error) {
    log.warn({ err: error, command }, 'a command can’t be answered in place');
    return isShared ? toAll(channel, direct) : createResultTarget([direct]);
  }
}

/** Where an interaction took place, and who the requester is. */
export function toOrigin(interaction: BaseInteraction): Origin {
  const { client, guild, guildId, channel, channelId, locale } = interaction;
  const requester = toRequester(interaction);
  return { client, guild, guildId, channel, channelId, locale, requester };
}

/** The context of an interaction, there or where its modal works; undefined if that can't be found. */
export async function contextOf(
  interaction: BaseInteraction,
  place: Place | undefined,
  discord: DiscordContext,
): Promise<CommandContext | undefined> {
  const context = createCommandContext(toOrigin(interaction), discord);
  if (!place) return context;
  const from = { context, contextIn: (other: Place) => contextIn(other, context, discord) };
  return discord.runner.contextAt(place, from);
}

/** Undefined if the place is on a shard of another process. */
export function contextIn(
  { workspace, channel, thread = channel }: Place,
  { requester, locale }: Pick<Origin, 'requester' | 'locale'>,
  discord: DiscordContext,
): CommandContext | undefined {
  const { shards } = discord;
  const [guild, found] = [shards.guild(workspace), shards.channel(thread)];
  if (!guild || !found?.isTextBased()) return undefined;
  const { client, id: guildId } = guild;
  const place = { client, guild, guildId, channel: found, channelId: thread };
  return createCommandContext({ ...place, requester, locale }, discord);
}

/**
 * The context of a command or button press: who the requester is, and what actions can do for them.
 */
export function createCommandContext(origin: Origin, discord: DiscordContext): CommandContext {
  const { writer, sleep, signal } = discord;
  const { channel, requester, locale } = origin;
  const { thread: usedIn, ...place } = toPlace(origin);
  const isThread = place.channel !== usedIn || channel?.isDMBased() === true;

  /** The bot posts the question itself, because nobody else sees a command's input. */
  async function postQuestion(question: string): Promise<string> {
    const { asks } = textsFor(locale).places;
    const text = `${asks(bold(requester.name))}: ${question}`;
    let id = '';
    for (const piece of await inSteps(createSplitter(textLimits)(text))) {
      const part = { text: renderMarkdown(piece) };
      const post = () => writer.post(usedIn, part);
      id = await retryWrite(post, { passing: ['rate_limited'], sleep, signal });
    }
    return id;
  }

  return {
    requester,
    ...place,
    ...(isThread && { thread: { ...place, thread: usedIn } }),
    locale,
    names: createNames(origin),
    channelAccess: async () => readChannelAccess(origin),
    ...readForum(channel, discord),
    renderMoment,
    signal,
    async ask(question, onPosted) {
      if (!channel) throw new PlatformError('forbidden', 'channel_hidden');
      const id = await postQuestion(question);
      const addressed = channel.isDMBased() ? 'direct' : 'mention';
      const thread = findThread(channel, { question: { id, text: question }, addressed }, discord);
      const message = { id, author: requester, text: question, addressed, thread } as const;
      await onPosted?.(message);
      // The answer appears in the thread: the command is done once the question is posted.
      void discord.receiver?.message(message);
      return thread.address.thread === id ? 'thread' : 'here';
    },
  };
}

/** The tags of the forum or media channel in whose post a command was used. */
function readForum(
  channel: Origin['channel'],
  { permissions }: DiscordContext,
): Pick<CommandContext, 'forum'> {
  const parent = channel?.isThread() ? channel.parent : undefined;
  if (!parent?.isThreadOnly()) return {};
  const tags = parent.availableTags.map(({ id, name }) => ({ id, name }));
  const lacks = permissions.canTag(parent.id)
    ? undefined
    : permissions.lacking(parent.id, 'ManageThreads');
  return { forum: { tags, lacks } };
}

/** Looks up names of channels, members and roles in the server where a command was used. */
function createNames({ guild }: Pick<BaseInteraction, 'guild'>): Names {
  const groups = () =>
    [...(guild?.roles.cache.values() ?? [])]
      // The role with the server's id is @everyone.
      .filter(({ id }) => id !== guild?.id)
      .map(({ id, name }) => ({ id, name: `@${name}` }));

  async function personName(id: string): Promise<string | undefined> {
    // MANAGERS also holds ids of people on other platforms.
    if (!/^\d+$/.test(id)) return undefined;
    const member = await guild?.members.fetch(id).catch(() => undefined);
    return member?.displayName;
  }

  return {
    async nameOf(kind, id) {
      if (kind === 'person') return personName(id);
      if (kind === 'group') return groups().find((group) => group.id === id)?.name;
      const channel = guild?.channels.cache.get(id);
      return channel && `#${channel.name}`;
    },
    groups: async () => groups(),
  };
}

/** Where a command was used or a button was pressed; outside a thread, `thread` is the channel. */
export function toPlace({
  channel,
  channelId,
  guildId,
}: Pick<BaseInteraction, 'channel' | 'channelId' | 'guildId'>): ThreadAddress {
  const parent = channel?.isThread() ? channel.parentId : null;
  const thread = channelId ?? '';
  return {
    platform: 'discord',
    workspace: guildId ?? noWorkspace,
    channel: parent ?? thread,
    thread,
  };
}

/**
 * What the bot can read where a command was used, as far as the gateway told; a thread counts as
 * its channel.
 */
function readChannelAccess(
  origin: Pick<BaseInteraction, 'client' | 'guild' | 'guildId' | 'channel' | 'channelId'>,
): ChannelAccess {
  const { client, guild, guildId } = origin;
  if (!guildId) return 'direct';
  const channel = guild?.channels.cache.get(toPlace(origin).channel);
  const granted = channel?.permissionsFor(client.user);
  if (!granted?.has(PermissionFlagsBits.ViewChannel)) return 'unseen';
  const { intents } = client.options;
  return intents.has(GatewayIntentBits.MessageContent) ? 'everything' : 'mentions';
}
