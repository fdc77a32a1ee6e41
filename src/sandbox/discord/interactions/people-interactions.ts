import { resolveChannel, findPerson } from '../people.ts';
import type { Choice } from '../application-commands/command-option.ts';
import { CommandType } from '../application-commands/command-form.ts';
import type { Command, Commands } from '../application-commands/commands.ts';
import {
  checkMayInvoke,
  pathOf,
  resolveOptions,
  type GivenOption,
} from '../application-commands/invocation.ts';
import type { Channel, User } from '../documents.ts';
import { flatten, type Component } from '../messages/component-tree.ts';
import { ComponentType } from '../messages/components.ts';
import { renderMessage } from '../messages/render-message.ts';
import { may, Permission } from '../permissions.ts';
import { mistake, refusal } from '../refusals.ts';
import type { DiscordState } from '../state.ts';
import { InteractionType, type Acknowledgement, type Interaction } from './interaction.ts';
import type { Interactions } from './interactions.ts';
import { fillIn, type ModalAnswers } from './modal-answers.ts';
import { publishInteraction } from './payload.ts';

/** A command call. */
interface Invocation {
  user: string;
  channel: string;
  name: string;
  /** A subcommand is an option with its own options. */
  options?: GivenOption[];
}

/** The result of an interaction. */
interface Doing {
  /** The interaction's id. */
  id: string;
  /** The bot's first response; `failed` if there was none within three seconds. */
  acknowledgement: Promise<Acknowledgement>;
}

/** The use of a button or select. */
interface Press {
  user: string;
  message: string;
  customId: string;
  /** The values chosen in a select. */
  values?: string[];
}

/** What people do with the bot's commands, buttons and forms. All throw DiscordRefusal in words. */
export interface PeopleInteractions {
  /**
   * Gives a command.
   * @throws {DiscordRefusal} when it is unknown or its options do not fit it
   */
  command(invocation: Invocation): Promise<Doing>;
  /**
   * Completes the option marked `focused`.
   * @throws {DiscordRefusal} when the bot does not answer in time
   */
  autocomplete(invocation: Invocation): Promise<Choice[]>;
  /**
   * Gives a command of the menu of messages on one of them.
   * @throws {DiscordRefusal} when it is unknown
   */
  messageCommand(use: { user: string; message: string; name: string }): Doing;
  press(press: Press): Doing;
  /** Sends the form a command or a button opened, by the id of that interaction. */
  submit(form: { user: string; modal: string } & ModalAnswers): Promise<Doing>;
}

export function createPeopleInteractions(
  state: DiscordState,
  interactions: Interactions,
  commands: Commands,
): PeopleInteractions {
  async function invoke(invocation: Invocation, completing: boolean): Promise<Interaction> {
    const { user, channel, command } = findCommand(invocation);
    checkMayInvoke(state, user.id, channel, command);
    const given = invocation.options ?? [];
    const { options, resolved } = await resolveOptions(state, channel, command, given, completing);
    const interaction = interactions.open({
      type: completing ? InteractionType.Autocomplete : InteractionType.Command,
      user: user.id,
      channel: channel.id,
      name: `/${[command.name, ...pathOf(command.options, given)].join(' ')}`,
    });
    const { id, name, type, guild_id } = command;
    publishInteraction(state, interaction, {
      id,
      name,
      type,
      ...(guild_id && { guild_id }),
      ...(options.length > 0 && { options }),
      ...(Object.keys(resolved).length > 0 && { resolved }),
    });
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
    async command(invocation) {
      return toDoing(await invoke(invocation, false));
    },
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
      const { type } = command;
      const interaction = interactions.open({
        type: InteractionType.Command,
        user: person.id,
        channel: channel.id,
        name,
      });
      publishInteraction(state, interaction, {
        id: command.id,
        name,
        type,
        target_id: id,
        resolved: { messages: { [id]: renderMessage(state, message) } },
      });
      return toDoing(interaction);
    },
    press({ user, message: id, customId, values }) {
      const { person, message, channel } = findMessage(user, id);
      const component = flatten(message.components).find((one) => one.custom_id === customId);
      if (!component) throw mistake(`The message has no component ${customId}.`);
      if (component.disabled) throw mistake(`The component ${customId} is disabled.`);
      const chosen = chooseValues(component, values ?? []);
      const interaction = interactions.open({
        type: InteractionType.Component,
        user: person.id,
        channel: channel.id,
        message: id,
      });
      publishInteraction(state, interaction, {
        custom_id: customId,
        component_type: component.type,
        values: chosen,
      });
      return toDoing(interaction);
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
      const interaction = interactions.open({
        type: InteractionType.ModalSubmit,
        user: person.id,
        channel: opener.channel,
        message,
        opener: { id, type, user: person.id, name, message },
      });
      publishInteraction(state, interaction, data);
      return toDoing(interaction);
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

function toDoing({ id, acknowledgement }: Interaction): Doing {
  return { id, acknowledgement };
}
