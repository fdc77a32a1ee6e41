import { english } from '../../src/bridge/texts/texts.ts';
import { OptionType } from '../../src/sandbox/discord/application-commands/command-schema.ts';
import type { DiscordChange, ShownMessage, ShownModal } from '../../src/sandbox/discord/changes.ts';
import type { DiscordServer } from '../../src/sandbox/discord/discord-server.ts';
import { DiscordRefusal } from '../../src/sandbox/discord/refusals.ts';
import {
  ClientRefusal,
  type CommandSeat,
  type Seats,
  type SeenResult,
  type Use,
} from '../contracts/commands/seat.ts';
import { buttonsOf, fieldsOf, toResult } from './discord-seen.ts';

/** Ada, the server's owner, and Linus, who may write, in #general. */
export function discordCommandSeats(discord: DiscordServer): Seats {
  return {
    manager: discordCommandSeat(discord, 'ada'),
    member: discordCommandSeat(discord, 'linus'),
    memberName: '@linus',
    groupName: '@Moderators',
    clientRefuses: {
      text: /must have at most \d+ characters/,
      number: /must (?:have at (?:least|most)|be a)/,
      boolean: /must be a boolean/,
      choice: /must be one of/,
      channel: /there is no “/,
      person: /there is no “/,
      group: /there is no “/,
      file: /needs the option|has no option/,
    },
  };
}

function discordCommandSeat(discord: DiscordServer, user: string): CommandSeat {
  const channel = discord.channels().find((each) => each.name === 'general')?.id ?? '';
  const people = discord.users();
  const me = people.find(({ username }) => username === user)?.id ?? '';
  const bot = people.find((each) => each.bot)?.id ?? '';

  /** What a change of the bot's messages in these channels and threads shows this person. */
  function shownBy(change: DiscordChange, ...places: string[]): ShownMessage | undefined {
    if (change.kind !== 'message' || change.event === 'removed') return undefined;
    const { message } = change;
    const isMine = message.ephemeralFor === undefined || message.ephemeralFor === me;
    const isHere = places.includes(change.channel) && message.author.id === bot;
    return isMine && isHere ? message : undefined;
  }

  /** The first change after the action that is accepted; rejects if the action does. */
  async function after(
    act: () => Promise<unknown>,
    accepts: (change: DiscordChange) => boolean,
  ): Promise<DiscordChange> {
    const given = new AbortController();
    const change = discord.changes.waitFor(accepts, { signal: given.signal });
    change.catch(() => undefined);
    try {
      await act();
    } catch (error) {
      given.abort(error);
      throw error instanceof DiscordRefusal ? new ClientRefusal(error.message) : error;
    }
    return change;
  }

  /** The first message after an action that is accepted. */
  async function shown(
    act: () => Promise<unknown>,
    accepts: (message: ShownMessage) => boolean,
    ...given: string[]
  ): Promise<SeenResult> {
    const places = given.length > 0 ? given : [channel];
    const change = await after(act, (each) => {
      const message = shownBy(each, ...places);
      return message !== undefined && accepts(message);
    });
    return toResult(shownBy(change, ...places));
  }

  function formOf(change: DiscordChange): ShownModal | undefined {
    return change.kind === 'modal' && change.modal.user === me ? change.modal : undefined;
  }

  function give(use: Use): ReturnType<DiscordServer['command']> {
    return discord.command({ user, channel, ...toInvocation(use) });
  }

  /** Options as Discord's client sends them, each with its registered type. */
  function toInvocation({ command, values, files = [] }: Use) {
    const [name = '', action] = command.split(' ');
    const registered = discord.commands().find((each) => each.name === name)?.options ?? [];
    const declared = action ? registered.find((each) => each.name === action)?.options : registered;
    const given = [
      ...files.map((file, index) => ({ name: index === 0 ? 'file' : `file${index + 1}`, file })),
      ...Object.entries(values).map(([option, text]) => ({
        name: option,
        value: toValue(declared?.find((each) => each.name === option)?.type, text),
      })),
    ];
    return { name, options: action ? [{ name: action, options: given }] : given };
  }

  function toValue(type: number | undefined, text: string): string | number | boolean {
    if (type === OptionType.Integer || type === OptionType.Number) {
      const number = Number(text.replace(',', '.'));
      return Number.isNaN(number) ? text : number;
    }
    if (type === OptionType.Boolean) {
      if (['true', 'yes'].includes(text)) return true;
      return ['false', 'no'].includes(text) ? false : text;
    }
    return type === undefined ? text : (idOf(type, text) ?? text);
  }

  function idOf(type: number, text: string): string | undefined {
    const name = text.replace(/^[@#]/, '');
    if (type === OptionType.User) return people.find((each) => each.username === name)?.id;
    if (type === OptionType.Channel)
      return discord.channels().find((each) => each.name === name)?.id;
    return type === OptionType.Role
      ? discord.roles().find((each) => each.name === name)?.id
      : undefined;
  }

  const hasButton = (buttons: { label: string }[], { button }: Use) =>
    button === undefined || buttons.some(({ label }) => label === button);

  return {
    // Discord tells nobody's.
    lead: '/',
    timeZone: 'UTC',
    use: (use, shows) =>
      shown(
        () => give(use),
        (message) => shows.test(message.content) && hasButton(buttonsOf(message), use),
      ),
    async attempt(use) {
      const added = new Set<string>();
      const isNew = (change: DiscordChange) => {
        const message = shownBy(change, channel);
        // The note below a modal, which another test may have opened.
        if (message?.content === english.forms.notAll) return false;
        if (message && change.kind === 'message' && change.event === 'posted')
          added.add(message.id);
        return message !== undefined && added.has(message.id) && message.content !== '';
      };
      try {
        return toResult(shownBy(await after(() => give(use), isNew), channel)).text;
      } catch (error) {
        if (error instanceof ClientRefusal) return error.message;
        throw error;
      }
    },
    async begin(use) {
      try {
        const change = await after(
          () => give(use),
          (each) => formOf(each) !== undefined || Boolean(shownBy(each, channel)?.content),
        );
        const form = formOf(change);
        return form
          ? { kind: 'form', fields: fieldsOf(form) }
          : { kind: 'refused', text: toResult(shownBy(change, channel)).text };
      } catch (error) {
        if (error instanceof ClientRefusal) return { kind: 'refused', text: error.message };
        throw error;
      }
    },
    async suggestions(command, option, typed) {
      const [name = '', action] = command.split(' ');
      const given = [{ name: option, value: typed, focused: true }];
      const options = action ? [{ name: action, options: given }] : given;
      const offered = await discord.autocomplete({ user, channel, name, options });
      return offered.map((choice) => choice.name);
    },
    press(result, label, shows) {
      const message = discord.messages(channel).find(({ id }) => id === result.id);
      const button = message && buttonsOf(message).find((each) => each.label === label);
      if (!button) throw new Error(`no button ${label} below: ${result.text}`);
      const { custom_id: customId } = button;
      return shown(
        async () => discord.press({ user, message: result.id, customId }),
        ({ content }) => shows.test(content),
      );
    },
    async file(name) {
      const find = () =>
        discord
          .messages(channel)
          .flatMap(({ attachments }) => attachments)
          .find(({ filename }) => filename === name);
      if (!find()) await discord.changes.waitFor(() => find() !== undefined);
      return (await fetch(find()?.url ?? '')).text();
    },
    async mention(text, shows, place = 'general') {
      const content = `<@${bot}> ${text}`;
      const { id } = await discord.say({ user, channel: `#${place}`, content });
      const isAnswer = ({ author, content }: ShownMessage) =>
        author.id === bot && shows.test(content);
      const isThere = () => hasThread(id) && discord.messages(id).some(isAnswer);
      if (!isThere()) await discord.changes.waitFor(isThere);
      return id;
    },
    say: (thread, text, shows) =>
      shown(
        () => discord.say({ user, channel: thread, content: text.replace('@bot', `<@${bot}>`) }),
        ({ content }) => shows.test(content),
        thread,
        // Messages that only they see.
        discord.directChannel(user).id,
      ),
  };

  function hasThread(id: string): boolean {
    const threads = discord.channels().flatMap((each) => discord.threads(each.id));
    return threads.some((thread) => thread.id === id);
  }
}
