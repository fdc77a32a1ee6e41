import { isDeepStrictEqual } from 'node:util';
import { isOutsideWorkspaces } from '../../conversation/address.ts';
import type { WorkspaceSettings } from '../../conversation/settings.ts';
import { findHandOverAgent } from '../../../shared/api/agent.ts';
import { type ActionContext, defineAction, type Outcome, type OutcomeButton } from '../command.ts';
import { renderFields } from '../fields.ts';
import { escapeMarkdown } from '../markdown.ts';
import { announce, explainUnknown } from './workspace-settings.ts';

/** Max people to notify at once. */
const maxPeople = 20;

type Contacts = WorkspaceSettings['contacts'];

/** `/chatbot notify`: who is notified when someone asks for a person. */
export const notify = defineAction({
  description: 'chatbot notify',
  shownTo: 'private',
  managersOnly: true,
  options: {
    channel: { type: 'channel', description: 'chatbot notify channel' },
    person: { type: 'person', description: 'chatbot notify person' },
    remove: { type: 'boolean', description: 'chatbot notify remove' },
  },
  async *run(context, { channel, person, remove = false }) {
    const { chatbot } = context.texts;
    if (isOutsideWorkspaces(context)) {
      yield chatbot.noWorkspace;
      return;
    }
    if (channel === undefined && person === undefined) {
      yield renderContacts((await context.settings.of(context)).contacts, context);
      return;
    }
    const unknown = remove ? undefined : await explainUnknown({ person }, context);
    if (unknown !== undefined) {
      yield unknown;
      return;
    }
    const apply = remove ? withoutContacts : withContacts;
    const change = (contacts: Contacts) => apply(contacts, channel, person);
    const isTooMany = ({ people }: Contacts) => !remove && people.length > maxPeople;
    // Checked before the channel gets an announcement of a change that would then be refused.
    if (isTooMany(change((await context.settings.of(context)).contacts))) {
      yield chatbot.tooManyContacts(maxPeople);
      return;
    }
    if (channel !== undefined && !remove) {
      const problem = await announce(context, channel, chatbot.notifyBegins);
      if (problem !== undefined) {
        yield problem;
        return;
      }
    }
    const before = await context.settings.change(context, (all) => {
      const contacts = change(all.contacts);
      return isTooMany(contacts) ? all : { ...all, contacts };
    });
    const after = change(before.contacts);
    if (isTooMany(after)) {
      yield chatbot.tooManyContacts(maxPeople);
      return;
    }
    if (!isDeepStrictEqual(before.contacts, after)) {
      context.changed({
        what: { uuid: context.workspace },
        before: await named(before.contacts, context),
        after: await named(after, context),
      });
    }
    yield await withWarning(`✅ ${await renderContacts(after, context)}`, after, context);
  },
});

/** The confirmation, with what still keeps the contacts from being notified. */
async function withWarning(
  markdown: string,
  { channel, people }: Contacts,
  { client, bindings, texts, signal, ...context }: ActionContext,
): Promise<Outcome> {
  if (channel === undefined && people.length === 0) return { markdown };
  const { notificationsOff, notificationsOn } = texts.chatbot;
  const chatbot = await bindings.chatbotFor(context);
  const agent = findHandOverAgent(await client.listAgents(chatbot, signal));
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
    markdown: `${markdown}\n\n⚠️ ${notificationsOff(`**${escapeMarkdown(agent.name)}**`)}`,
    buttons: [button],
  };
}

function withContacts(
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

async function renderContacts(contacts: Contacts, context: ActionContext): Promise<string> {
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
