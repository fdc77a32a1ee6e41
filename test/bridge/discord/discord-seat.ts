import { PermissionFlagsBits } from 'discord.js';
import type { ShownMessage } from '../../../src/sandbox/discord/changes.ts';
import type { AdapterOptions, Place, Seat, Seen } from '../../contracts/adapter/seat.ts';
import { buttonsOf, toResult } from '../../e2e/discord-seen.ts';
import { openServer } from './open-server.ts';

/** Discord's adapter for the contract of the adapters. */
export async function openDiscordSeat(options: AdapterOptions = {}): Promise<Seat> {
  await using parts = new AsyncDisposableStack();
  const server = parts.use(await openServer());
  const { discord } = server;
  const { core, platform } = await server.connect(options);
  const owned = parts.move();
  const user = (name: string) => {
    const found = discord.users().find(({ username }) => username === name);
    return { id: found?.id ?? '', name: found?.displayName ?? '' };
  };
  const bot = discord.users().find((each) => each.bot)?.id ?? '';
  const moderators = discord.roles().find(({ name }) => name === 'Moderators')?.id ?? '';

  function standing(name: string, { channel, thread = channel }: Place): ShownMessage[] {
    if (!discord.channel(thread)) return [];
    const isFor = ({ ephemeralFor }: ShownMessage) =>
      ephemeralFor === undefined || ephemeralFor === user(name).id;
    return discord.messages(thread).filter((each) => each.author.id === bot && isFor(each));
  }

  const toSeen = (message: ShownMessage): Seen => ({
    ...toResult(message),
    files: message.attachments.map(({ filename }) => filename),
  });

  /** The id of what is named so, as Discord's client sends it; any other value as it is. */
  function toValue(text: string): string {
    if (text === '@Moderators') return moderators;
    if (text.startsWith('@')) return user(text.slice(1)).id;
    return text.startsWith('#') ? server.channel(text.slice(1)) : text;
  }

  const seat: Seat = {
    platform,
    core,
    faults: discord.faults,
    post: 'POST /channels/:channel/messages',
    workspace: discord.guildId,
    channel: server.channel,
    closed: server.channel('readonly'),
    openPrivate() {
      const id = server.channel('help');
      const { ViewChannel } = PermissionFlagsBits;
      discord.setPermissions({ channel: id, id: discord.guildId, allow: 0n, deny: ViewChannel });
      discord.setPermissions({ channel: id, id: bot, allow: ViewChannel, deny: 0n });
      return id;
    },
    direct: (person) => discord.directChannel(person).id,
    mention: server.mention,
    person: user,
    linkTo: (_, id) => `/channels/${discord.guildId}/${id}`,
    group: { id: moderators, name: '@Moderators' },
    async say(by, { channel, thread = channel }, text) {
      return (await discord.say({ user: by, channel: thread, content: text })).id;
    },
    forward: async (by, { id }, to) => discord.forward({ user: by, message: id, channel: to }).id,
    async edit(by, { id }, text) {
      await discord.edit({ user: by, message: id, content: text });
    },
    remove: (by, { id }) => discord.remove({ user: by, message: id }),
    async use({ by, in: channel, command, values = {}, file }) {
      const given = Object.entries(values).map(([name, text]) => ({ name, value: toValue(text) }));
      const options = [...given, ...(file ? [{ name: 'file', file }] : [])];
      await discord.command({ user: by, channel, name: command, options });
    },
    async press(by, place, label) {
      const found = standing(by, place)
        .flatMap((message) => buttonsOf(message).map((button) => ({ ...button, id: message.id })))
        .find((button) => button.label === label);
      if (!found) throw new Error(`There is no button ${label}.`);
      const press = { user: by, message: found.id, customId: found.custom_id };
      const { kind } = await discord.press(press).acknowledgement;
      return kind === 'deferred-update';
    },
    seen: (by, place) => standing(by, place).map(toSeen),
    async shown(by, place, text) {
      const find = () => seat.seen(by, place).find((seen) => text.test(seen.text));
      if (!find()) await discord.changes.waitFor(() => find() !== undefined);
      return find()!;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
  return seat;
}
