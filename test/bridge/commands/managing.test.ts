import { expect, test } from 'vitest';
import type { ChannelAccess } from '../../../src/bridge/commands/command.ts';
import { PlatformError } from '../../../src/bridge/conversation/errors.ts';
import { openCommands } from './open-commands.ts';

const bert = { requester: { id: 'U2', name: 'Bert', isManager: false } };
const inSupport = { requester: { ...bert.requester, groups: ['S9', 'S1'] } };
const tag = { name: 'Lamps', color: 'teal' };
const refused = /^Only managers can do that/;

test('people and groups are named as managers, and removed again', async () => {
  await using commands = await openCommands();
  const { last, audit } = commands;
  expect(await last('tag create', tag, bert)).toMatch(refused);
  const named = await last('chatbot managers', { person: 'U2', group: '@Support' });
  expect(named).toBe(
    [
      '✅ Saved.',
      '',
      '**Who manages here**',
      '- Always: admins and owners of the workspace in Slack, people who may manage the server in Discord',
      '- @support · added here',
      '- Bert · added here',
    ].join('\n'),
  );
  expect(audit).toMatchObject([
    { audit: 'chatbot managers', what: { uuid: 'U2', name: 'Bert' }, after: { manages: true } },
    { audit: 'chatbot managers', what: { uuid: 'S1' }, before: { manages: false } },
  ]);
  expect(await last('tag create', tag, bert)).toMatch(/^✅/);
  // Who is named manages, whatever the platform says of them.
  expect(await last('chatbot managers', { person: 'U2', remove: 'yes' }, bert)).toMatch(/^✅/);
  expect(await last('tag create', { ...tag, name: 'B' }, bert)).toMatch(refused);
  expect(await last('tag create', { ...tag, name: 'C' }, inSupport)).toMatch(/^✅/);
  expect(await last('tag create', tag, { ...inSupport, workspace: 'W2' })).toMatch(refused);
  await last('chatbot managers', { group: 'S1', remove: 'yes' });
  expect(await last('tag create', tag, inSupport)).toMatch(refused);
  expect(await last('tag list')).toMatch(/^\*\*2 tags/);
});

test('whom the platform could not tell is not told that they may not', async () => {
  await using commands = await openCommands({ managers: ['U3'] });
  const unknown = { ...bert.requester, outsider: 'unknown' as const };
  expect(await commands.last('tag create', tag, { requester: unknown })).toBe(
    'I couldn’t find out whether you belong to this workspace, so I can’t do that now. Please try again in a moment.',
  );
  const named = { ...unknown, id: 'U3' };
  expect(await commands.last('tag create', tag, { requester: named })).toMatch(/^✅/);
});

test('what changes nothing is not noted, and a list needs no change', async () => {
  await using commands = await openCommands({ managers: ['U3', 'S2', '80351110224678912'] });
  const { last, audit } = commands;
  const list = await last('chatbot managers');
  expect(list).toContain(
    '- @editors · added by the people who run this bot (MANAGERS)\n- Cleo · added by',
  );
  expect(list).not.toContain('8035');
  expect(await last('chatbot managers', { person: 'U2', remove: 'yes' })).toMatch(
    /^Nothing changed/,
  );
  expect(await last('chatbot managers', { person: 'Bert' })).toMatch(
    /^\*\*person\*\*: Choose a person/,
  );
  expect(await last('chatbot managers', { group: 'everyone' })).toMatch(
    /^\*\*group\*\*: Choose a group/,
  );
  expect(audit).toEqual([]);
});

test('no more than fifty are named for a workspace', async () => {
  await using commands = await openCommands();
  const { last, settings, context } = commands;
  const people = Array.from({ length: 50 }, (_, index) => `U1${index}`);
  await settings.change(context(), (all) => ({ ...all, managers: { people, groups: [] } }));
  expect(await last('chatbot managers', { person: 'U2' })).toMatch(
    /^You can add up to 50 people and groups/,
  );
  expect(await last('chatbot managers', { person: 'U149', remove: 'yes' })).toMatch(/^✅/);
  expect(await last('chatbot managers', { person: 'U2' })).toMatch(/^✅/);
});

test('people unknown here can’t be named, but can still be removed', async () => {
  await using commands = await openCommands();
  const { last, settings, context, audit } = commands;
  const noPerson = /^\*\*person\*\*: Choose a person I can see here/;
  const noGroup = /^\*\*group\*\*: Choose a group I can see/;
  expect(await last('chatbot managers', { person: 'ADA' })).toMatch(noPerson);
  expect(await last('chatbot managers', { person: 'U2', group: 'NOBODY' })).toMatch(noGroup);
  expect(await last('chatbot notify', { channel: 'C2', person: 'ADA' })).toMatch(noPerson);
  expect(commands.notices).toEqual([]);
  expect(audit).toEqual([]);

  await settings.change(context(), () => ({
    managers: { people: ['ADA', 'U2'], groups: ['S404'] },
    contacts: { people: ['ADA'] },
  }));
  const gone = { person: 'ADA', group: 'S404', remove: 'yes' };
  expect(await last('chatbot managers', gone)).toMatch(
    /^✅ Saved\.[^]+server in Discord\n- Bert · added here$/,
  );
  expect(audit.map(({ what }) => what)).toEqual([{ uuid: 'ADA' }, { uuid: 'S404' }]);
  expect(await last('chatbot notify', { person: 'ADA', remove: 'yes' })).toMatch(
    /Nobody is notified/,
  );
  expect(await last('chatbot managers', gone)).toMatch(/^Nothing changed/);
});

test('settings changed by another process count', async () => {
  await using commands = await openCommands();
  const { last, settings, context, audit, toldLines } = commands;
  const elsewhere = commands.elsewhere();
  await settings.of(context());
  const people = Array.from({ length: 50 }, (_, index) => `U1${index}`);
  const contacts = { people: people.slice(0, 20) };
  const managers = { people, groups: [] };
  await elsewhere.change(context(), () => ({ managers, contacts }));
  expect(await last('chatbot managers', { person: 'U2' })).toMatch(
    /^You can add up to 50 people and groups/,
  );

  await settings.change(context(), (all) => ({ ...all, managers: { people: [], groups: [] } }));
  await elsewhere.change(context(), (all) => ({ ...all, managers }));
  expect(await last('chatbot managers', { person: 'U10', remove: 'yes' })).toMatch(/^✅/);
  expect(audit).toMatchObject([{ what: { uuid: 'U10' }, after: { manages: false } }]);

  await settings.change(context(), (all) => ({ ...all, contacts: { people: [] } }));
  await elsewhere.change(context(), (all) => ({ ...all, contacts }));
  expect(await last('chatbot notify', { person: 'U2' })).toBe('At most 20 people can be notified.');
  const both = { channel: 'C2', person: 'U2' };
  expect(await last('chatbot notify', both)).toBe('At most 20 people can be notified.');
  expect(commands.notices).toEqual([]);

  await elsewhere.change(context(), (all) => ({ ...all, audit: 'C2' }));
  await last('chatbot audit', { off: 'yes' });
  expect(audit.at(-1)).toMatchObject({ before: { audit: '#audit' }, after: { audit: 'off' } });
  expect(await toldLines(1)).toEqual([
    expect.stringMatching(/^Changes are no longer announced here/),
  ]);

  await settings.in(context());
  await elsewhere.changeIn(context(), () => ({ following: 'mentions' }));
  await last('chatbot follow', { how: 'threads' });
  expect(await commands.elsewhere().in(context())).toMatchObject({ following: 'threads' });
});

test('of several people named at once, only new ones are recorded', async () => {
  await using commands = await openCommands();
  const { last, audit } = commands;
  await last('chatbot managers', { person: 'U2' });
  expect(await last('chatbot managers', { person: 'U2', group: 'S1' })).toMatch(/^✅ Saved/);
  expect(audit.map(({ what }) => what)).toMatchObject([{ uuid: 'U2' }, { uuid: 'S1' }]);
});

test('a refusal names the managers, unless there are many', async () => {
  await using commands = await openCommands({ managers: ['U3'] });
  const { last, settings, context } = commands;
  await last('chatbot managers', { group: 'S1' });
  expect(await last('tag create', tag, bert)).toMatch(/, and @support, Cleo\.$/);
  const people = Array.from({ length: 9 }, (_, index) => `U9${index}`);
  await settings.change(context(), (all) => ({ ...all, managers: { people, groups: [] } }));
  expect(await last('tag create', tag, bert)).toMatch(
    /, and anyone added by a manager or .+ bot\.$/,
  );
});

test('every change is told in the audit channel, which is told when that begins and ends', async () => {
  await using commands = await openCommands();
  const { last, notices, toldLines } = commands;
  const channel = { channel: 'C2' };
  expect(await last('chatbot audit')).toMatch(/^Changes aren’t announced in any channel/);
  expect(await last('chatbot audit', channel)).toBe('✅ Changes are announced in #audit.');
  await last('tag create', { ...tag, name: '<!channel> *Lamps*' });
  await last('tag update', { tag: '<!channel> *Lamps*', color: '#ABC' });
  await toldLines(4);
  expect(await last('chatbot audit', { off: 'yes' })).toMatch(
    /^✅ Changes aren’t announced in any channel/,
  );
  expect(await toldLines(5)).toEqual([
    'Changes will be announced here from now on.',
    '**Ada** · #general · `chatbot audit` `W` · audit: off → #audit',
    '**Ada** · #general · `tag create` **<!channel> \\*Lamps\\*** · name: <!channel> \\*Lamps\\* · color: #0d9488',
    '**Ada** · #general · `tag update` **<!channel> \\*Lamps\\*** · color: #0d9488 → #aabbcc',
    'Changes are no longer announced here: Ada changed that.',
  ]);
  expect(notices.every(({ to, people }) => 'channel' in to && to.channel === 'C2' && !people)).toBe(
    true,
  );
});

test('long values are cut short in the audit channel', async () => {
  await using commands = await openCommands();
  const { last, toldLines } = commands;
  await last('chatbot audit', { channel: 'C2' });
  await last('agent create', { name: 'G', type: 'user-facing', prompt: 'x'.repeat(5000) });
  const line = (await toldLines(3)).at(-1);
  expect(line).toContain(`prompt: ${'x'.repeat(59)}…`);
  expect(line?.length).toBeLessThan(601);
});

test('a channel that can’t be written in is not chosen, and the reason told', async () => {
  const reason = 'I’m not a member of this channel. Invite me with “/invite” and my name.';
  await using commands = await openCommands({
    beforeNotice() {
      throw new PlatformError('forbidden', 'slack_not_in_channel');
    },
  });
  const { last, audit, settings, context } = commands;
  const refusal = `❌ I can’t write in #audit, so nothing was changed. ${reason}`;
  expect(await last('chatbot audit', { channel: 'C2' })).toBe(refusal);
  expect(await last('chatbot notify', { channel: 'C2' })).toBe(refusal);
  expect(await last('chatbot audit')).toMatch(/^Changes aren’t announced in any channel/);
  expect((await settings.of(context())).contacts).toEqual({ people: [] });
  expect(audit).toEqual([]);
});

test('a change that the audit channel refuses stays, and the next one is announced', async () => {
  const refusals = { left: 0 };
  await using commands = await openCommands({
    beforeNotice() {
      if (refusals.left-- > 0) throw new PlatformError('gone', 'channel_gone');
    },
  });
  const { last, toldLines } = commands;
  await last('chatbot audit', { channel: 'C2' });
  await toldLines(2);
  refusals.left = 1;
  expect(await last('tag create', tag)).toMatch(/^✅/);
  expect(await last('tag update', { tag: 'Lamps', color: 'red' })).toMatch(/^✅/);
  expect(await toldLines(3)).toMatchObject({ 2: expect.stringContaining('tag update') });
});

test('contacts for hand-overs are named, shown and removed', async () => {
  await using commands = await openCommands();
  const { last, settings, context, audit, notices } = commands;
  expect(await last('chatbot notify')).toMatch(/^Nobody is notified/);
  expect(await last('chatbot notify', { channel: 'C2', person: 'U2' })).toBe(
    '✅ **Who is notified when someone asks for a person**\n- Channel: #audit\n- People: Bert',
  );
  await last('chatbot notify', { person: 'U3' });
  expect((await settings.of(context())).contacts).toEqual({ channel: 'C2', people: ['U2', 'U3'] });
  expect(audit.at(-1)).toMatchObject({
    before: { channel: '#audit', people: 'Bert' },
    after: { channel: '#audit', people: 'Bert, Cleo' },
  });
  expect(await last('chatbot notify', { channel: 'C2', person: 'U2', remove: 'yes' })).toBe(
    '✅ **Who is notified when someone asks for a person**\n- People: Cleo',
  );
  await last('chatbot notify', { person: 'U2', remove: 'yes' });
  expect(audit).toHaveLength(3);
  expect(notices).toHaveLength(1);
});

test('a channel is followed as managers say, and shown so', async () => {
  await using commands = await openCommands();
  const { last, settings, context, audit } = commands;
  expect(await last('chatbot show')).toContain(
    '- In this channel: I answer when I’m mentioned, and',
  );
  expect(await last('chatbot follow', { how: 'everything' }, bert)).toMatch(refused);
  expect(await last('chatbot follow', { how: 'mentions' })).toBe(
    '✅ In this channel from now on: I answer when I’m mentioned.',
  );
  expect(audit).toMatchObject([
    {
      what: { uuid: 'C', name: '#general' },
      before: { following: 'threads' },
      after: { following: 'mentions' },
    },
  ]);
  expect(await last('chatbot show')).toContain('- In this channel: I answer when I’m mentioned.');
  expect(await settings.in(context({ channel: 'C2' }))).toMatchObject({ following: 'threads' });
  expect(await last('chatbot show', { chatbot: 'Guide' })).not.toContain('In this channel');
});

test('following a channel says what the bot can’t read there', async () => {
  await using commands = await openCommands();
  const { last, audit, settings, context } = commands;
  const hears = (heard: ChannelAccess) => ({ channelAccess: async () => heard });
  const everything = { how: 'everything' };
  expect(await last('chatbot follow', everything, hears('uninvited'))).toMatch(
    /^✅ .+ I answer every message .+ ⚠️ But I’m not a member of this channel/,
  );
  expect(await last('chatbot show', {}, hears('unseen'))).toMatch(
    /In this channel: I answer every .+ ⚠️ But I don’t have the permission “View Channel”/,
  );
  expect(await last('chatbot follow', everything, hears('mentions'))).toMatch(
    /⚠️ But Discord only shows me .+ “Message Content Intent”/,
  );
  expect(await last('chatbot follow', { how: 'mentions' }, hears('mentions'))).toBe(
    '✅ In this channel from now on: I answer when I’m mentioned.',
  );
  expect(await last('chatbot use', { chatbot: 'Guide' }, hears('uninvited'))).toMatch(
    /^✅ \*\*Guide\*\* now answers in this channel.+ ⚠️ But I’m not a member/,
  );

  const noted = audit.length;
  const direct = { channel: 'C2', ...hears('direct') };
  expect(await last('chatbot follow', everything, direct)).toBe(
    'I answer everything in direct messages; that can’t be changed.',
  );
  expect(await settings.in(context({ channel: 'C2' }))).toMatchObject({ following: 'threads' });
  expect(await last('chatbot show', {}, direct)).toContain(
    'I answer everything in direct messages',
  );
  expect(audit).toHaveLength(noted);
});

test('in a direct message a chatbot can be chosen, and for no workspace nothing else', async () => {
  await using commands = await openCommands();
  const { last, notices, audit } = commands;
  const direct = { channelAccess: async () => 'direct' as const };
  const guide = { chatbot: 'Guide' };
  expect(await last('chatbot use', guide, direct)).toBe(
    '✅ **Guide** now answers in this direct message. The current session keeps its chatbot: `/session new` starts a new one.',
  );
  const outside = { ...direct, workspace: 'dm', channel: 'D' };
  await last('chatbot server', { server: 'W' }, outside);
  const everywhere = { ...guide, where: 'workspace' };
  expect(await last('chatbot use', everywhere, direct)).toContain('answers in this workspace');
  const noted = audit.length;
  const noWorkspace = /^A direct message doesn’t belong to a server/;
  expect(await last('chatbot use', everywhere, outside)).toMatch(noWorkspace);
  expect(await last('chatbot audit', { channel: 'C2' }, outside)).toMatch(noWorkspace);
  expect(await last('chatbot managers', { person: 'U2' }, outside)).toMatch(noWorkspace);
  expect(await last('chatbot notify', { channel: 'C2' }, outside)).toMatch(noWorkspace);
  expect(audit).toHaveLength(noted);
  expect(notices).toEqual([]);
});

test('the name of the person who shares a result formats nothing', async () => {
  await using commands = await openCommands();
  const shown = (await commands.use('chatbot show')).at(-1);
  const requester = { id: 'U1', name: '*[Eve](https://evil.example)*', isManager: false };
  const [shared] = await commands.press(shown, 'Share', { requester });
  expect(shared?.markdown).toMatch(
    /\n\n\*Shared by \\\*\[Eve\] \(https:\/\/evil\.example\)\\\*\*$/,
  );
});

test('it is all told in German too', async () => {
  await using commands = await openCommands();
  const german = { locale: 'de-CH' };
  expect(await commands.last('chatbot managers', {}, german)).toMatch(/^\*\*Wer hier verwaltet/);
  expect(await commands.last('chatbot audit', { channel: 'C2' }, german)).toBe(
    '✅ Änderungen werden in #audit gemeldet.',
  );
  expect(commands.notices[0]?.markdown).toBe('Änderungen werden ab jetzt hier gemeldet.');
});

test('a result is for everyone only if the values make sense', async () => {
  await using commands = await openCommands();
  const { runner, context } = commands;
  const isShared = (how: string, change = {}) =>
    runner.isShared({
      command: 'chatbot',
      action: 'follow',
      values: { how },
      context: context(change),
    });
  expect(await isShared('everything')).toBe(true);
  expect(await isShared('sometimes')).toBe(false);
  expect(await isShared('')).toBe(false);
  const everyone = { requester: { id: 'U2', name: 'Grace', isManager: false } };
  expect(await isShared('everything', everyone)).toBe(false);
  expect(await commands.last('chatbot follow', { how: 'sometimes' })).toMatch(
    /Choose mentions, threads, questions, posts or everything/,
  );
});

test('whoever names contacts is told that the agent’s notifications are off, and can switch them on', async () => {
  await using commands = await openCommands();
  const { use, press, last, client, chatbot } = commands;
  const [agent] = await client.listAgents(chatbot);
  const handOver = { monitored_messages: ['a person, please'], notifications_enabled: false };
  await client.updateAgent(agent?.uuid ?? '', { human_escalation_settings: handOver });
  const [shown] = await use('chatbot notify', { person: 'U2' });
  expect(shown?.markdown).toMatch(/Bert\n\n⚠️ But the notifications of the agent .+ are off/);
  await press(shown, 'Switch notifications on');
  const [updated] = await client.listAgents(chatbot);
  expect(updated?.human_escalation_settings?.notifications_enabled).toBe(true);
  expect(await last('chatbot notify', { person: 'U3' })).not.toContain('⚠️');
});

test('whom the environment names manages in a direct message what belongs to the home, and no other workspace’s', async () => {
  await using commands = await openCommands({ managers: ['U3'], workspaces: ['W'] });
  const { last } = commands;
  const requester = { id: 'U3', name: 'Cleo', isManager: false };
  const outside = { workspace: 'dm', channel: 'D', requester };
  const create = (name: string, change: object) =>
    last('tag create', { name, color: 'red' }, { ...outside, ...change });
  // The only workspace is chosen by the first command.
  expect(await create('One', {})).toMatch(/Created/);
  const shared = await last('chatbot share', { chatbot: 'Guide' });
  const code = /code:(\S+)`/.exec(shared)?.[1] ?? '';
  await last('chatbot share', { code }, { workspace: 'X', channel: 'CX' });
  expect(await create('Two', { channel: 'D2' })).toMatch(/Which server/);
  await last('chatbot server', { server: 'Server X' }, { ...outside, channel: 'D2' });
  expect(await create('Two', { channel: 'D2' })).toMatch(/^Only managers/);
  expect(await create('Two', { workspace: 'X', channel: 'CX' })).toMatch(/^Only managers/);
  await last('chatbot server', { server: 'Server W' }, { ...outside, channel: 'D2' });
  expect(await create('Two', { channel: 'D2' })).toMatch(/Created/);
});

test.each(['20,000', '20.000', '20 000', '20\u202F000', '20’000', '20000'])(
  'a limit can be written as %j, as people write thousands',
  async (workspace) => {
    await using commands = await openCommands();
    expect(await commands.last('chatbot limits', { workspace })).toMatch(
      /All together: up to 20,000 questions/,
    );
  },
);

test.each(['1.5', '0.500', '1.000,000'])('%j is no number of questions', async (workspace) => {
  await using commands = await openCommands();
  expect(await commands.last('chatbot limits', { workspace })).toMatch(
    /^\*\*workspace\*\*: Enter a whole number/,
  );
});
