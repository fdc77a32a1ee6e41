import { isDeepStrictEqual } from 'node:util';
import { hasContacts, type WorkspaceSettings } from '../../conversation/settings.ts';
import { findHandOverAgent } from '../../../shared/api/agent.ts';
import { type ActionContext, defineAction, type Outcome, type OutcomeButton } from '../command.ts';
import { listAgents } from '../lists.ts';
import { onOrOff, renderFields } from '../outcomes.ts';
import { bold, escapeMarkdown } from '../../conversation/markdown/plain-text.ts';
import { explainError } from '../../conversation/errors.ts';

/** Max people to notify at once. */
const maxPeople = 20;

type Contacts = WorkspaceSettings['contacts'];

/** `/chatbot notify`: who is notified when someone asks for a person. */
export const notify = defineAction({
  description: 'chatbot notify',
  shownTo: 'private',
  managersOnly: true,
  inWorkspace: true,
  options: {
    channel: { type: 'channel', description: 'chatbot notify channel' },
    person: { type: 'person', description: 'chatbot notify person' },
    remove: { type: 'boolean', description: 'chatbot notify remove' },
  },
  async run(context, { channel, person, remove = false }) {
    const { chatbot } = context.texts;
    if (channel === undefined && person === undefined) {
      return renderContacts((await context.settings.of(context)).contacts, context);
    }
    const unknown = remove ? undefined : await explainUnknown({ person }, context);
    if (unknown !== undefined) return unknown;
    const apply = remove ? withoutContacts : withContacts;
    const change = (contacts: Contacts) => apply(contacts, channel, person);
    const isTooMany = ({ people }: Contacts) => !remove && people.length > maxPeople;
    // Checked before the channel gets an announcement of a change that would then be refused.
    if (isTooMany(change((await context.settings.of(context)).contacts))) {
      return chatbot.tooManyContacts(maxPeople);
    }
    if (channel !== undefined && !remove) {
      const problem = await announce(context, channel, chatbot.notifyBegins);
      if (problem !== undefined) return problem;
    }
    const before = await context.settings.change(context, (all) => {
      const contacts = change(all.contacts);
      return isTooMany(contacts) ? all : { ...all, contacts };
    });
    const after = change(before.contacts);
    if (isTooMany(after)) return chatbot.tooManyContacts(maxPeople);
    noteWorkspace(context, await named(before.contacts, context), await named(after, context));
    return withWarning(`✅ ${await renderContacts(after, context)}`, after, context);
  },
});

/** The confirmation, with what still keeps the contacts from being notified. */
async function withWarning(
  markdown: string,
  contacts: Contacts,
  context: ActionContext,
): Promise<Outcome> {
  if (!hasContacts(contacts)) return { markdown };
  const { notificationsOff, notificationsOn } = context.texts.chatbot;
  const agent = findHandOverAgent(await listAgents(context));
  if (!agent || agent.human_escalation_settings?.notifications_enabled) return { markdown };
  const button: OutcomeButton = {
    label: notificationsOn,
    onPress: {
      kind: 'run',
      command: 'agent',
      action: 'update',
      values: { agent: agent.uuid, notifications: 'yes' },
    },
  };
  return {
    markdown: `${markdown}\n\n⚠️ ${notificationsOff(bold(agent.name))}`,
    buttons: [button],
  };
}

/** The contacts with a channel in place of the one before, and a person more. */
export function withContacts(
  contacts: Contacts,
  channel: string | undefined,
  person: string | undefined,
): Contacts {
  return {
    ...contacts,
    ...(channel !== undefined && { channel }),
    people: [...new Set([...contacts.people, person ?? []].flat())],
  };
}

function withoutContacts(
  { channel, people }: Contacts,
  formerChannel: string | undefined,
  formerPerson: string | undefined,
): Contacts {
  return {
    ...(channel !== undefined && channel !== formerChannel && { channel }),
    people: people.filter((id) => id !== formerPerson),
  };
}

/** Renders who is notified when somebody asks for a person. */
export async function renderContacts(contacts: Contacts, context: ActionContext): Promise<string> {
  const { chatbot, fields } = context.texts;
  const { channel, people } = await named(contacts, context);
  if (channel === '' && people === '') return chatbot.nobodyNotified;
  const lines = renderFields([
    [fields.channel, escapeMarkdown(channel)],
    [fields.people, escapeMarkdown(people)],
  ]);
  return `**${chatbot.notified}**\n${lines}`;
}

async function named({ channel, people }: Contacts, { names }: ActionContext) {
  const known = await Promise.all(
    people.map(async (id) => (await names.nameOf('person', id)) ?? id),
  );
  return {
    channel: channel === undefined ? '' : ((await names.nameOf('channel', channel)) ?? channel),
    people: known.join(', '),
  };
}

/**
 * `/chatbot audit`: chooses the channel in which changes are announced, and announces there when
 * that starts and ends.
 */
export const audit = defineAction({
  description: 'chatbot audit',
  shownTo: 'private',
  managersOnly: true,
  inWorkspace: true,
  options: {
    channel: { type: 'channel', description: 'chatbot audit channel' },
    off: { type: 'boolean', description: 'chatbot audit off' },
  },
  async run(context, { channel, off = false }) {
    const { chatbot } = context.texts;
    const after = off ? undefined : channel;
    if (!off && after === undefined) {
      return renderAudit((await context.settings.of(context)).audit, context);
    }
    if (after !== undefined) {
      const problem = await announce(context, after, chatbot.auditBegins);
      if (problem !== undefined) return problem;
    }
    await changeChannel(context, after);
    return `✅ ${await renderAudit(after, context)}`;
  },
});

async function renderAudit(channel: string | undefined, context: ActionContext): Promise<string> {
  const { auditIn, auditNowhere } = context.texts.chatbot;
  return channel === undefined ? auditNowhere : auditIn(await renderChannel(context, channel));
}

async function changeChannel(context: ActionContext, after: string | undefined): Promise<void> {
  const { audit: before } = await context.settings.change(context, (all) => ({
    ...all,
    audit: after,
  }));
  if (before === after) return;
  const nameOf = async (channel: string | undefined) =>
    channel === undefined ? 'off' : ((await context.names.nameOf('channel', channel)) ?? channel);
  noteWorkspace(context, { audit: await nameOf(before) }, { audit: await nameOf(after) });
  // People who read the channel must not mistake silence for "no changes".
  if (before !== undefined) {
    const { chatbot } = context.texts;
    await announce(context, before, chatbot.auditEnds(escapeMarkdown(context.requester.name)));
  }
}

/** `/chatbot guests`: whether guests, and strangers of shared channels, may ask in channels. */
export const guests = defineAction({
  description: 'chatbot guests',
  shownTo: 'private',
  managersOnly: true,
  inWorkspace: true,
  options: {
    allowed: { type: 'choice', choices: ['on', 'off'], description: 'chatbot guests allowed' },
  },
  async run(context, { allowed }) {
    const { chatbot } = context.texts;
    if (allowed === undefined) {
      return chatbot.guests[onOrOff((await context.settings.of(context)).guests)];
    }
    const before = await context.settings.change(context, (all) => ({
      ...all,
      guests: allowed === 'on',
    }));
    noteWorkspace(context, { guests: onOrOff(before.guests) }, { guests: allowed });
    return `✅ ${chatbot.guests[allowed]}`;
  },
});

/** Records that settings of the workspace were changed. Says whether they were. */
export function noteWorkspace(
  { workspace, changed }: ActionContext,
  before: object,
  after: object,
): boolean {
  const isChanged = !isDeepStrictEqual(before, after);
  if (isChanged) changed({ what: { uuid: workspace }, before, after });
  return isChanged;
}

/**
 * Posts something in a channel. If that fails, resolves with a sentence for the requester that says
 * why.
 */
export async function announce(
  context: ActionContext,
  channel: string,
  markdown: string,
): Promise<string | undefined> {
  const { platform, workspace, texts, notify, signal } = context;
  try {
    await notify(platform, { workspace, to: { channel }, markdown }, signal);
    return undefined;
  } catch (error) {
    const name = await renderChannel(context, channel);
    return `❌ ${texts.chatbot.notWritable(name)} ${explainError(error, texts)}`;
  }
}

/** A channel's name for Markdown; its id if the platform doesn't know the name. */
async function renderChannel({ names }: ActionContext, channel: string): Promise<string> {
  const name = await names.nameOf('channel', channel);
  return name === undefined ? `\`${channel}\`` : escapeMarkdown(name);
}

/**
 * Why a person or group can't be named because the platform doesn't know them; undefined if it
 * does.
 */
export async function explainUnknown(
  { person, group }: { person: string | undefined; group?: string },
  { names, texts }: ActionContext,
): Promise<string | undefined> {
  const { noPerson, noGroup } = texts.invalid;
  const isUnknown = async (kind: 'person' | 'group', id: string | undefined) =>
    id !== undefined && (await names.nameOf(kind, id)) === undefined;
  const problems: string[] = [];
  if (await isUnknown('person', person)) problems.push(`**person**: ${noPerson}`);
  if (await isUnknown('group', group)) problems.push(`**group**: ${noGroup}`);
  return problems.length > 0 ? problems.join('\n') : undefined;
}
