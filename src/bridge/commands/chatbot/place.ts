import { isDeepStrictEqual } from 'node:util';
import type { Chatbot } from '../../../shared/api/chatbot.ts';
import { renderRefusal } from '../../conversation/access.ts';
import { isOutsideWorkspaces } from '../../conversation/address.ts';
import { maxChoices } from '../../conversation/buttons.ts';
import { toComparable } from '../../../shared/primitives/text.ts';
import { bold, escapeMarkdown } from '../../conversation/markdown/plain-text.ts';
import type { NamedWorkspace } from '../../conversation/platform.ts';
import {
  type Following,
  followings,
  hasContacts,
  type Unsure,
  unsureWays,
} from '../../conversation/settings.ts';
import { type ActionContext, type ChannelAccess, defineAction, type Outcome } from '../command.ts';
import { forRequester, onOrOff } from '../outcomes.ts';
import { tenantKey } from '../registry/registry-chatbots.ts';
import { chatbotOption } from './changing.ts';

export const use = defineAction({
  description: 'chatbot use',
  shownTo: 'channel',
  managersOnly: true,
  options: {
    chatbot: { ...chatbotOption, required: true },
    where: {
      type: 'choice',
      choices: ['channel', 'workspace'],
      description: 'chatbot where',
    },
  },
  async run(context, { chatbot, where = 'channel' }) {
    if (where === 'workspace' && isOutsideWorkspaces(context)) {
      return forRequester(context.texts.chatbot.noWorkspace);
    }
    const before = await context.bindings.chatbotFor(context);
    await context.bindings.bind(context, where, chatbot.uuid);
    await context.registry.remember('chatbot', await tenantKey(context), chatbot);
    context.changed({
      what: { uuid: chatbot.uuid, name: chatbot.name },
      before: { chatbot: before },
      after: { chatbot: chatbot.uuid, scope: where },
    });
    return `✅ ${await renderUse(where, bold(chatbot.name), context)}`;
  },
});

export const follow = defineAction({
  description: 'chatbot follow',
  shownTo: 'channel',
  managersOnly: true,
  options: {
    how: {
      type: 'choice',
      choices: followings,
      description: 'chatbot how',
      required: true,
    },
  },
  async run(context, { how }) {
    const { texts } = context;
    const hearing = await context.channelAccess();
    if (hearing === 'direct') return renderFollowing(how, hearing, context);
    const before = await context.settings.changeIn(context, () => ({ following: how }));
    await noteChannel(context, { following: before.following }, { following: how });
    return `✅ ${texts.chatbot.followed}: ${renderFollowing(how, hearing, context)}`;
  },
});

/** Records that a setting of the channel was changed, if it was. */
async function noteChannel(
  { channel, names, changed }: ActionContext,
  before: object,
  after: object,
): Promise<void> {
  if (isDeepStrictEqual(before, after)) return;
  const name = await names.nameOf('channel', channel);
  changed({ what: { uuid: channel, name }, before, after });
}

/** `/chatbot context`: whether a question in the channel takes what was said before it. */
export const context = defineAction({
  description: 'chatbot context',
  shownTo: 'channel',
  managersOnly: true,
  options: {
    taken: { type: 'choice', choices: ['on', 'off'], description: 'chatbot context taken' },
  },
  async run(context, { taken }) {
    const { texts, settings } = context;
    if ((await context.channelAccess()) === 'direct') return texts.chatbot.context.direct;
    if (taken === undefined) {
      return texts.chatbot.context[onOrOff((await settings.in(context)).takesContext)];
    }
    const change = { takesContext: taken === 'on' };
    const { takesContext } = await settings.changeIn(context, () => change);
    await noteChannel(context, { context: onOrOff(takesContext) }, { context: taken });
    return `✅ ${texts.chatbot.context[taken]}`;
  },
});

/**
 * Says where the chatbot answers from now on, and what keeps the bot from reading messages there.
 */
async function renderUse(
  where: 'channel' | 'workspace',
  name: string,
  context: ActionContext,
): Promise<string> {
  const { used, hearing: lacks } = context.texts.chatbot;
  const anew = context.slash('session new');
  if (where === 'workspace') return used.workspace(name);
  const hearing = await context.channelAccess();
  if (hearing === 'direct') return used.direct(name, anew);
  const isDeaf = hearing === 'uninvited' || hearing === 'unseen';
  return isDeaf ? `${used.channel(name)} ⚠️ ${lacks[hearing]}` : used.channel(name);
}

/** `/chatbot server`: the server whose chatbot answers in a direct message on Discord. */
export const server = defineAction({
  description: 'chatbot server',
  shownTo: 'private',
  needsNoChatbot: true,
  options: {
    server: { type: 'text', description: 'chatbot server server', maxLength: 100 },
  },
  async run(context, { server: wanted }) {
    const { access, tenancy, texts, requester } = context;
    if (!isOutsideWorkspaces(context)) return texts.access.onlyDirect;
    const servers = await access.choices(context, requester.id);
    const names = servers.map(({ name }) => escapeMarkdown(name));
    if (servers.length === 0) return texts.access.no_server;
    if (wanted === undefined) return askWhichServer(context, servers);
    const sought = toComparable(wanted);
    const found = servers.find(({ id, name }) => [id, name].map(toComparable).includes(sought));
    if (!found) return texts.access.noSuchServer(names);
    await tenancy.choose(context, found.id);
    return `✅ ${texts.access.chosen(bold(found.name))}`;
  },
});

/** Asks whose chatbot is to answer, with a button for each server. */
export function askWhichServer(
  { texts }: Pick<ActionContext, 'texts'>,
  servers: readonly NamedWorkspace[],
): Outcome {
  return {
    markdown: renderRefusal({ kind: 'choose', workspaces: servers }, texts),
    buttons: servers.slice(0, maxChoices).map(({ id, name }) => ({
      label: name,
      onPress: { kind: 'run', command: 'chatbot', action: 'server', values: { server: id } },
    })),
  };
}

/**
 * `/chatbot share`: gives a chatbot to another workspace. A manager here gets a code, a manager there
 * enters it.
 */
export const share = defineAction({
  description: 'chatbot share',
  shownTo: 'private',
  managersOnly: true,
  inWorkspace: true,
  needsNoChatbot: true,
  options: {
    chatbot: { ...chatbotOption, description: 'chatbot share chatbot' },
    code: { type: 'text', description: 'chatbot share code', maxLength: 100 },
    end: { type: 'boolean', description: 'chatbot share end' },
  },
  async run(context, { chatbot, code, end = false }) {
    const { texts } = context;
    if (code !== undefined) return accept(context, code);
    if (chatbot === undefined) return texts.chatbot.shareWhat(context.slash('chatbot share'));
    return offer(context, chatbot, end);
  },
});

async function accept(context: ActionContext, code: string): Promise<string> {
  const { tenancy, bindings, client, texts, slash, signal } = context;
  const wasKnown = await tenancy.isKnown(context);
  const uuid = await tenancy.accept(context, code);
  if (uuid === undefined) return texts.chatbot.noSuchCode;
  // Where none answered, this one does.
  if (!wasKnown) await bindings.bind(context, 'workspace', uuid);
  const { name } = await client.getChatbot(uuid, signal);
  context.changed({ what: { uuid, name }, after: { shared: 'with this workspace' } });
  const title = bold(name);
  return `✅ ${wasKnown ? texts.chatbot.given(title, slash('chatbot use')) : texts.chatbot.used.workspace(title)}`;
}

async function offer(context: ActionContext, chatbot: Chatbot, end: boolean): Promise<string> {
  const { tenancy, texts } = context;
  const { uuid, name } = chatbot;
  const title = bold(name);
  if ((await tenancy.holds(context, uuid)) !== 'owned') return texts.chatbot.notYours(title);
  if (end) {
    const count = await tenancy.takeBack(uuid);
    context.changed({ what: { uuid, name }, before: { shared: count }, after: { shared: 0 } });
    return `✅ ${texts.chatbot.takenBack(title, count)}`;
  }
  const code = await tenancy.offer(context, uuid);
  context.changed({ what: { uuid, name }, after: { shared: 'a code was given' } });
  return texts.chatbot.shareCode(title, `\`code:${code}\``);
}

/** Says what the bot answers in a channel with this setting, and what keeps it from reading it. */
export function renderFollowing(
  following: Following,
  hearing: ChannelAccess,
  { texts, forum }: ActionContext,
): string {
  const { chatbot } = texts;
  if (hearing === 'direct') return chatbot.followingDirect;
  const isEnough = hearing === 'everything' || (hearing === 'mentions' && following === 'mentions');
  const lack = isEnough ? [] : [`⚠️ ${chatbot.hearing[hearing]}`];
  const told = { ...chatbot.following, ...(forum && chatbot.followingForum) };
  return [told[following], ...lack].join(' ');
}

/** `/chatbot unsure`: what the bot does in a channel where its sources don't clearly answer. */
export const unsure = defineAction({
  description: 'chatbot unsure',
  shownTo: 'channel',
  managersOnly: true,
  options: {
    way: { type: 'choice', choices: unsureWays, description: 'chatbot unsure way' },
    call: { type: 'boolean', description: 'chatbot unsure call' },
  },
  async run(context, { way, call: calls }) {
    const { texts, settings } = context;
    if ((await context.channelAccess()) === 'direct') return texts.chatbot.unsure.direct;
    if (way === undefined && calls === undefined) {
      return renderUnsure((await settings.in(context)).unsure, context);
    }
    const apply = (known: Unsure): Unsure => ({
      way: way ?? known.way,
      calls: calls ?? known.calls,
    });
    const { unsure: before } = await settings.changeIn(context, (all) => ({
      unsure: apply(all.unsure),
    }));
    const after = apply(before);
    await noteChannel(context, before, after);
    return `✅ ${await renderUnsure(after, context)}`;
  },
});

/** Says what that is, and what keeps it from working. */
export async function renderUnsure(
  { way, calls }: Unsure,
  context: ActionContext,
): Promise<string> {
  const { bindings, client, settings, texts, slash, signal } = context;
  const { unsure: said, nobodyNotified } = texts.chatbot;
  if (way === 'answer') return said.answer;
  const [chatbot, { contacts }] = await Promise.all([
    bindings.chatbotFor(context).then((uuid) => client.getChatbot(uuid, signal)),
    settings.of(context),
  ]);
  return [
    said[way](slash('gaps')),
    ...(calls
      ? [hasContacts(contacts) ? said.calls : `⚠️ ${nobodyNotified} ${slash('chatbot notify')}`]
      : []),
    ...(chatbot.meta.tells_evidence ? [] : [`⚠️ ${said.notTold(slash('chatbot update'))}`]),
  ].join(' ');
}
