import type { Command, CommandRegistry } from '../application-commands/command-registry.ts';
import { type Choice, CommandType } from '../application-commands/command-schema.ts';
import {
  checkMayInvoke,
  type GivenOption,
  pathOf,
  resolveOptions,
} from '../application-commands/invocation.ts';
import { findChannel } from '../channels.ts';
import type { Channel, User } from '../documents.ts';
import { Intent } from '../gateway/session.ts';
import { type Component, ComponentType, flatten } from '../messages/components.ts';
import { renderMessage } from '../messages/render-message.ts';
import { findPerson, resolveChannel } from '../people.ts';
import { may, memberOf, Permission, permissionsOf } from '../permissions.ts';
import { mistake, refusal } from '../refusals.ts';
import { renderChannel, renderMemberWithUser, renderUserById } from '../render.ts';
import type { DiscordState } from '../state.ts';
import {
  type Interaction,
  type InteractionDraft,
  type Interactions,
  InteractionType,
} from './interactions.ts';
import { fillIn, type ModalAnswers } from './modal-answers.ts';

/** A command call. */
interface Invocation {
  user: string;
  channel: string;
  name: string;
  /** A subcommand is an option with its own options. */
  options?: GivenOption[];
}

/** An interaction that a person started; it has `failed` after three seconds without a response. */
type Started = Pick<Interaction, 'id' | 'acknowledgement'>;

/** The use of a button or select. */
interface Press {
  user: string;
  message: string;
  customId: string;
  /** The values chosen in a select. */
  values?: string[];
}

/** What people do with the bot's commands, buttons and modals. All throw DiscordRefusal. */
export interface PeopleInteractions {
  /**
   * Uses a slash command.
   * @throws {DiscordRefusal} when it is unknown or its options do not fit it
   */
  command(invocation: Invocation): Promise<Started>;
  /**
   * Completes the option marked `focused`.
   * @throws {DiscordRefusal} when the bot does not answer in time
   */
  autocomplete(invocation: Invocation): Promise<Choice[]>;
  /**
   * Uses a command in a message's menu.
   * @throws {DiscordRefusal} when it is unknown
   */
  messageCommand(use: { user: string; message: string; name: string }): Started;
  press(press: Press): Started;
  /** Submits a modal, by the id of the interaction that opened it. */
  submit(form: { user: string; modal: string } & ModalAnswers): Promise<Started>;
}

export function createPeopleInteractions(
  state: DiscordState,
  interactions: Interactions,
  commands: CommandRegistry,
): PeopleInteractions {
  async function invoke(invocation: Invocation, completing: boolean): Promise<Interaction> {
    const { user, channel, command } = findCommand(invocation);
    checkMayInvoke(state, user.id, channel, command);
    const given = invocation.options ?? [];
    const place = { state, channel, completing };
    const { options, resolved } = await resolveOptions(place, command, given);
    const draft = {
      type: completing ? InteractionType.Autocomplete : InteractionType.Command,
      user: user.id,
      channel: channel.id,
      name: `/${[command.name, ...pathOf(command.options, given)].join(' ')}`,
    };
    const { id, name, type, guild_id } = command;
    return start(draft, {
      id,
      name,
      type,
      guild_id,
      options: options.length > 0 ? options : undefined,
      resolved: Object.keys(resolved).length > 0 ? resolved : undefined,
    });
  }

  /**
   * Sends the bot an interaction:
   * https://docs.discord.com/developers/interactions/receiving-and-responding#interaction-object
   */
  function start(draft: InteractionDraft, data: object): Interaction {
    const interaction = interactions.open(draft);
    const rendered = renderInteraction(state, interaction, data);
    state.dispatch({ name: 'INTERACTION_CREATE', data: rendered, intent: Intent.Always });
    return interaction;
  }

  function findCommand(invocation: Invocation): { user: User; channel: Channel; command: Command } {
    const user = findPerson(state, invocation.user);
    const channel = resolveChannel(state, invocation.channel, user);
    const command = commands.find(invocation.name, channel.guild);
    if (command) return { user, channel, command };
    const known = [...commands.list(), ...(channel.guild ? commands.list(channel.guild) : [])];
    const names = known.map(({ name }) => `/${name}`).join(', ') || 'none';
    throw mistake(`There is no command /${invocation.name}. Registered: ${names}.`);
  }

  /**
   * A message that a person sees.
   * @throws {DiscordRefusal} 10008 when there is no such message, 50001 when the channel is not
   * seen
   */
  function findMessage(user: string, id: string) {
    const person = findPerson(state, user);
    const message = state.documents.messages.get(id);
    if (!message || (message.ephemeralFor && message.ephemeralFor !== person.id)) {
      throw refusal(10008);
    }
    const channel = resolveChannel(state, message.channel, person);
    if (!may(state, person.id, Permission.ViewChannel, channel)) throw refusal(50001);
    return { person, message, channel };
  }

  return {
    command: (invocation) => invoke(invocation, false),
    async autocomplete(invocation) {
      const { acknowledgement } = await invoke(invocation, true);
      const answer = await acknowledgement;
      if (answer.kind === 'choices') return answer.choices;
      throw mistake(answer.kind === 'failed' ? answer.reason : 'The application sent no choices.');
    },
    messageCommand({ user, message: id, name }) {
      const { person, message, channel } = findMessage(user, id);
      const command = commands.find(name, channel.guild, CommandType.Message);
      if (!command) throw mistake(`There is no command “${name}” for messages.`);
      checkMayInvoke(state, person.id, channel, command);
      const by = { user: person.id, channel: channel.id };
      return start(
        { type: InteractionType.Command, ...by, name },
        {
          id: command.id,
          name,
          type: command.type,
          target_id: id,
          resolved: { messages: { [id]: renderMessage(state, message, true) } },
        },
      );
    },
    press({ user, message: id, customId, values }) {
      const { person, message, channel } = findMessage(user, id);
      const component = flatten(message.components).find((one) => one.custom_id === customId);
      if (!component) throw mistake(`The message has no component ${customId}.`);
      if (component.disabled) throw mistake(`The component ${customId} is disabled.`);
      const chosen = chooseValues(component, values ?? []);
      const by = { user: person.id, channel: channel.id };
      return start(
        { type: InteractionType.Component, ...by, message: id },
        { custom_id: customId, component_type: component.type, values: chosen },
      );
    },
    async submit({ user, modal: id, ...answers }) {
      const person = findPerson(state, user);
      const opener = interactions.find(id);
      if (!opener?.modal || opener.user !== person.id) {
        throw mistake('No form of that id is open for this person.');
      }
      const { modal, type, name, message } = opener;
      const data = await fillIn(state, modal, answers);
      delete opener.modal;
      const draft = {
        type: InteractionType.ModalSubmit,
        user: person.id,
        channel: opener.channel,
        message,
        opener: { id, type, user: person.id, name, message },
      };
      const started = start(draft, data);
      const putBack = async () => {
        // Discord's client then leaves it open.
        if ((await started.acknowledgement).kind === 'failed') opener.modal = modal;
      };
      void putBack();
      return started;
    },
  };
}

/** The chosen values of a select, if it has them; undefined for a button. */
function chooseValues(component: Component, values: string[]): string[] | undefined {
  if (component.type === ComponentType.Button) return undefined;
  if (component.type !== ComponentType.StringSelect) {
    throw mistake('The sandbox does not support selects of users, roles or channels.');
  }
  const { options = [], min_values: min, max_values: max } = component;
  const unknown = values.find((value) => !options.some((option) => option.value === value));
  if (unknown !== undefined) throw mistake(`The select has no option ${unknown}.`);
  if (values.length >= (min ?? 1) && values.length <= (max ?? 1)) return values;
  throw mistake(`The select takes ${min ?? 1} to ${max ?? 1} options.`);
}

const usualLocale = 'en-US';

function renderInteraction(state: DiscordState, interaction: Interaction, data: object): object {
  const { documents, self } = state;
  const channel = findChannel(state, interaction.channel);
  const member = memberOf(state, channel.guild, interaction.user);
  const message = interaction.message && documents.messages.get(interaction.message);
  const { locale: guildLocale = usualLocale } = documents.guilds.get(channel.guild ?? '') ?? {};
  const { locale = usualLocale } = documents.users.get(interaction.user) ?? {};
  const inGuild = channel.guild && {
    guild_id: channel.guild,
    guild: { id: channel.guild, locale: guildLocale, features: [] },
    guild_locale: guildLocale,
  };
  return {
    id: interaction.id,
    application_id: self.application,
    type: interaction.type,
    token: interaction.token,
    version: 1,
    data,
    channel_id: channel.id,
    channel: renderChannel(state, channel),
    ...inGuild,
    ...(member
      ? { member: renderMemberWithUser(state, member, channel) }
      : { user: renderUserById(state, interaction.user) }),
    message: message && renderMessage(state, message),
    app_permissions: permissionsOf(state, self.user, channel).toString(),
    locale,
    entitlements: [],
    authorizing_integration_owners: { 0: channel.guild ?? '0' },
    context: channel.guild ? 0 : 1,
    attachment_size_limit: state.attachments.limit,
  };
}
