import {
  ApplicationCommandType,
  ChannelType,
  ComponentType,
  type GatewayDispatchEvents,
  InteractionType,
  MessageFlags,
  MessageReferenceType,
  MessageType,
  SnowflakeUtil,
} from 'discord.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBridge } from '../../e2e/scripted-bridge.ts';
import { takeFaults } from '../../fixtures/judges/witness.ts';
import { silentLog } from '../../fixtures/log.ts';
import { fillKey, isDescribed, optionalKeys, valuesOf } from './described.ts';
import { openServer, type OpenServer } from './open-server.ts';

type Event = [name: `${GatewayDispatchEvents}`, data: object];

let server: OpenServer;
let directChannel: string;
let unknownChannel: string;
let ears: Awaited<ReturnType<OpenServer['connect']>>;
const errors: unknown[] = [];

beforeAll(async () => {
  server = await openServer();
  const { channel } = await server.discord.say({ user: 'ada', channel: '@', content: 'Hello' });
  directChannel = channel;
  const said = await server.discord.say({ user: 'grace', channel: '@', content: 'Hello' });
  unknownChannel = said.channel;
  const log = { ...silentLog, error: (fields: object) => void errors.push(fields) };
  ears = await server.connect({ log });
});
afterAll(() => server[Symbol.asyncDispose]());

/** The first lines that were heard of some events, without errors. */
async function hear(events: Event[]): Promise<string[]> {
  const before = ears.received.length;
  for (const [name, data] of events) server.discord.gateway.send(name, data);
  const last = `That is all. ${SnowflakeUtil.generate()}`;
  for (const channel of ['#general', '@'] as const) {
    const content = `${server.mention} ${last} ${channel}`;
    await server.discord.say({ user: 'ada', channel, content });
    await ears.core.messages.find(({ text }) => text === `${last} ${channel}`);
  }
  expect(errors).toEqual([]);
  const texts = ears.received.slice(before).map(({ text }) => text.split('\n')[0] ?? '');
  return texts.filter((text) => !text.startsWith(last)).toSorted();
}

function userOf(name: string, more: object = {}): object {
  const { id, displayName = name } = server.discord
    .users()
    .find((user) => user.username === name) ?? {
    id: '0',
  };
  return {
    id,
    username: name,
    global_name: displayName,
    discriminator: '0',
    avatar: null,
    public_flags: 0,
    flags: 0,
    primary_guild: null,
    ...more,
  };
}

/** A person's message in #general that mentions the bot and says this. */
function message(text: string, more: object = {}): Event {
  const bot = server.mention.slice(2, -1);
  const data = {
    id: SnowflakeUtil.generate().toString(),
    channel_id: server.channel('general'),
    guild_id: server.discord.guildId,
    channel_type: ChannelType.GuildText,
    author: userOf('ada'),
    type: MessageType.Default,
    content: `${server.mention} ${text}`,
    timestamp: '2026-11-22T08:00:00.000000+00:00',
    edited_timestamp: null,
    tts: false,
    pinned: false,
    mention_everyone: false,
    mentions: [userOf('causeway', { id: bot, bot: true })],
    mention_roles: [],
    attachments: [],
    embeds: [],
    components: [],
    flags: 0,
    ...more,
  };
  return ['MESSAGE_CREATE', data];
}

/** The same as a direct message, which mentions nobody. */
function direct(text: string, more: object = {}): Event {
  const [name, data] = message(text, { content: text, mentions: [], guild_id: undefined });
  const place = { channel_id: directChannel, channel_type: ChannelType.DM };
  return [name, { ...data, ...place, ...more }];
}

const attachment = {
  id: '1100000000000000001',
  filename: 'voice-message.ogg',
  size: 100,
  url: 'https://cdn.discordapp.com/attachments/1/2/voice-message.ogg',
  proxy_url: 'https://media.discordapp.net/attachments/1/2/voice-message.ogg',
  content_type: 'audio/ogg',
};

describe.skipIf(!isDescribed)('of everything that Discord describes', () => {
  test('only default messages and replies are heard', async () => {
    const types = Object.values(MessageType).filter((type) => typeof type === 'number');
    const named = types.map((type): [string, number] => [MessageType[type], type]);
    const described = valuesOf('MessageType').map((type): [string, number] => [
      `type ${String(type)}`,
      Number(type),
    ]);
    const all = [...named, ...described];
    const heard = await hear(
      all.flatMap(([name, type]) => [message(name, { type }), direct(`direct ${name}`, { type })]),
    );
    // Discord's description does not know all types of discord-api-types.
    await takeFaults();
    const questions = ['Default', 'Reply', 'type 0', 'type 19'];
    expect(heard).toEqual([...questions, ...questions.map((name) => `direct ${name}`)].toSorted());
  });

  test('a message is heard whatever other fields it has, unless a webhook sent it', async () => {
    const keys = optionalKeys('MessageResponse');
    const heard = await hear(
      keys.flatMap((key) => {
        // A forward refers to the message that it shows.
        const also = key === 'message_snapshots' ? ['message_reference'] : [];
        const filled = [key, ...also].map((one) => [one, fillKey('MessageResponse', one)]);
        const more = Object.fromEntries(filled) as object;
        return [message(key, more), direct(`direct ${key}`, more)];
      }),
    );
    const expected = keys.filter((key) => key !== 'webhook_id');
    expect(heard).toEqual([...expected, ...expected.map((key) => `direct ${key}`)].toSorted());
  });

  test('a direct message is heard though no event has told of its channel or its type', async () => {
    const more = { channel_id: unknownChannel, channel_type: undefined, author: userOf('grace') };
    expect(await hear([direct('untyped', more)])).toEqual(['untyped']);
  });

  test('only messages of people are heard', async () => {
    const authors: [string, object][] = [
      ['a person', {}],
      ['a bot', { author: userOf('robot', { id: '1100000000000000001', bot: true }) }],
      [
        'Discord itself',
        { author: userOf('discord', { id: '1100000000000000002', system: true }) },
      ],
      ['a webhook', { webhook_id: '1100000000000000005' }],
      ['a person who has left', { author: userOf('Deleted User', { id: '1100000000000000003' }) }],
      ['a person in an app', { application_id: '1100000000000000004' }],
    ];
    const heard = await hear(authors.flatMap(([name, more]) => [message(name, more)]));
    expect(heard).toEqual(['a person', 'a person in an app', 'a person who has left']);
  });

  test('messages without words are heard as empty texts, forwards with theirs', async () => {
    const [, said] = message('forwarded');
    const forward = {
      type: MessageReferenceType.Forward,
      channel_id: server.channel('general'),
      message_id: '1100000000000000006',
    };
    const snapshot = pick(said, ...snapshotKeys);
    const wordless = withoutWords();
    const heard = await hear([
      ...wordless.map((more) => direct('', more)),
      ...wordless.map((more) => message('', { content: '', mentions: [], ...more })),
      direct('', { message_reference: forward, message_snapshots: [{ message: snapshot }] }),
      message('a reply', { type: MessageType.Reply, referenced_message: null }),
    ]);
    // The core greets people who say nothing, and leaves alone what is overheard.
    const silence = wordless.flatMap(() => ['', '']);
    expect(heard).toEqual([...silence, 'a reply', 'forwarded']);
  });

  test('messages without words are greeted or named in direct messages, and ignored in channels', async () => {
    await using bridge = await openBridge('Discord');
    const { sandbox, service, seat } = bridge;
    const { discord } = sandbox;
    const channel_id = await seat.sayDirectly('A first question');
    const first = await service.asked();
    first.write('A first answer');
    first.end();
    await seat.replies(channel_id, 1, /^A first answer/);
    const ada = discord.users().find(({ username }) => username === 'ada')?.id ?? '';
    const author = userOf('ada', { id: ada });
    const general = discord.channels().find(({ name }) => name === 'general')?.id ?? '';
    const place = { channel_id: general, guild_id: discord.guildId };
    // A sticker, a voice message and a poll: more would wait for Discord's limit of posts.
    const wordless = withoutWords().slice(0, 3);
    const events = wordless.flatMap((more) => [
      direct('', { ...more, channel_id, author }),
      message('', { content: '', mentions: [], ...more, ...place, author }),
    ]);
    for (const [name, data] of events) discord.gateway.send(name, data);
    const greetings = wordless.length;
    const wordlessReply = /^(?:Hello! Ask me a question|📎 Not read: voice-message\.ogg)/;
    await seat.replies(channel_id, 1 + greetings, wordlessReply);
    await seat.sayDirectly('A last question');
    const asked = await service.asked();
    expect(asked.query).toBe('A last question');
    asked.write('An answer');
    asked.end();
    const said = await seat.replies(channel_id, 2 + greetings, /^An answer/);
    const shown = said.map(({ text }) => text.split(/[!:]/)[0]);
    expect(shown).toHaveLength(2 + greetings);
    expect(shown.filter((text) => text === 'Hello')).toHaveLength(greetings - 1);
    expect(shown.filter((text) => text === '📎 Not read')).toHaveLength(1);
    expect(discord.messages(general).filter(({ author: { bot } }) => bot)).toEqual([]);
    expect(discord.threads(general)).toEqual([]);
    await takeFaults();
  });

  test('changes of unknown messages are ignored', async () => {
    const places = [
      { channel_id: server.channel('general'), guild_id: server.discord.guildId },
      { channel_id: directChannel },
      { channel_id: '1100000000000000007' },
    ];
    const [id, user_id] = ['1100000000000000008', '1100000000000000009'];
    const emoji = { id: null, name: '👍' };
    const reaction = { emoji, burst: false, type: 0, message_author_id: user_id };
    const changes = places.flatMap((place): Event[] => [
      // A preview of a link, which Discord adds to a message.
      ['MESSAGE_UPDATE', { id, ...place, embeds: [{ type: 'link', url: 'https://example.com' }] }],
      ['MESSAGE_UPDATE', { id, ...place, flags: MessageFlags.SuppressEmbeds }],
      ['MESSAGE_DELETE', { id, ...place }],
      ['MESSAGE_DELETE_BULK', { ids: [id, user_id], ...place }],
      ['MESSAGE_REACTION_ADD', { message_id: id, user_id, ...reaction, ...place }],
      ['MESSAGE_REACTION_REMOVE', { message_id: id, user_id, ...reaction, ...place }],
      ['MESSAGE_REACTION_REMOVE_EMOJI', { message_id: id, emoji, ...place }],
      ['MESSAGE_REACTION_REMOVE_ALL', { message_id: id, ...place }],
      ['MESSAGE_POLL_VOTE_ADD', { message_id: id, user_id, answer_id: 1, ...place }],
      ['MESSAGE_POLL_VOTE_REMOVE', { message_id: id, user_id, answer_id: 1, ...place }],
      ['CHANNEL_PINS_UPDATE', { last_pin_timestamp: null, ...place }],
      ['TYPING_START', { user_id, timestamp: 1, ...place }],
    ]);
    expect(await hear(changes)).toEqual([]);
    // The judge does not know all of these events, and no message of which only a part is sent.
    await takeFaults();
    expect(ears.core.edits.all).toEqual([]);
  });

  test('interactions of other apps and versions are ignored', async () => {
    const member = {
      user: userOf('ada'),
      roles: [],
      joined_at: '2026-11-22T08:00:00.000000+00:00',
      deaf: false,
      mute: false,
      flags: 0,
      permissions: '0',
    };
    const interaction = (type: InteractionType, data: object, more: object = {}): Event => [
      'INTERACTION_CREATE',
      {
        id: SnowflakeUtil.generate().toString(),
        application_id: '1100000000000000010',
        type,
        data,
        token: 'token',
        version: 1,
        guild_id: server.discord.guildId,
        channel_id: server.channel('general'),
        channel: { id: server.channel('general'), type: ChannelType.GuildText },
        member,
        locale: 'en-US',
        app_permissions: '0',
        entitlements: [],
        authorizing_integration_owners: {},
        attachment_size_limit: 1,
        ...more,
      },
    ];
    const [, pressed] = message('pressed', { guild_id: undefined, channel_type: undefined });
    const id = '1100000000000000011';
    const { Button, StringSelect, UserSelect, RoleSelect, MentionableSelect, ChannelSelect } =
      ComponentType;
    const selects: [ComponentType, object?][] = [
      [StringSelect],
      [UserSelect, { users: { [id]: userOf('ada') } }],
      [RoleSelect, { roles: {} }],
      [MentionableSelect, {}],
      [ChannelSelect, { channels: {} }],
    ];
    const heard = await hear([
      interaction(InteractionType.ApplicationCommand, {
        id,
        type: ApplicationCommandType.User,
        name: 'Greet',
        target_id: id,
        resolved: { users: { [id]: userOf('ada') } },
      }),
      interaction(InteractionType.ApplicationCommand, {
        id,
        type: ApplicationCommandType.PrimaryEntryPoint,
        name: 'launch',
      }),
      interaction(
        InteractionType.MessageComponent,
        { component_type: Button, custom_id: 'old' },
        { message: pressed },
      ),
      ...selects.map(([component_type, resolved]) =>
        interaction(
          InteractionType.MessageComponent,
          { component_type, custom_id: 'old', values: [id], resolved },
          { message: pressed },
        ),
      ),
      interaction(InteractionType.ModalSubmit, { custom_id: 'old', components: [] }),
    ]);
    expect(heard).toEqual([]);
    expect(ears.core.presses.all).toEqual([]);
  });
});

/** What messages without words have: a sticker, a voice message, a poll, a file, a link, components. */
function withoutWords(): object[] {
  const voice = { ...attachment, duration_secs: 3.5, waveform: 'AAAA' };
  const sticker = { id: '1100000000000000005', name: 'Wave', format_type: 1 };
  return [
    { sticker_items: [sticker] },
    { attachments: [voice], flags: MessageFlags.IsVoiceMessage },
    { poll: fillKey('MessageResponse', 'poll') },
    { attachments: [attachment] },
    { embeds: [{ type: 'rich', title: 'A link' }] },
    { flags: MessageFlags.IsComponentsV2, components: [{ type: 10, id: 1, content: 'Shown' }] },
  ];
}

const snapshotKeys = [
  'type',
  'content',
  'embeds',
  'attachments',
  'timestamp',
  'edited_timestamp',
  'flags',
  'mentions',
  'mention_roles',
  'components',
];

function pick(from: object, ...keys: string[]): object {
  return Object.fromEntries(Object.entries(from).filter(([key]) => keys.includes(key)));
}
