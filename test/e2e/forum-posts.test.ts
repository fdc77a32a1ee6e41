import { PermissionFlagsBits } from 'discord.js';
import { describe, expect, it, test } from 'vitest';
import type { ForumSettings } from '../../src/sandbox/discord/channels.ts';
import { splitContext } from '../../src/shared/api/session.ts';
import { openApp } from './open-app.ts';
import { openBridge } from './scripted-bridge.ts';

const { ManageThreads, ViewChannel } = PermissionFlagsBits;

/** The bridge on Discord, and a forum that it follows so. */
async function openForum(
  following: string,
  { kind = 'forum', ...settings }: ForumSettings & { kind?: 'forum' | 'media' } = {},
) {
  await using parts = new AsyncDisposableStack();
  const bridge = parts.use(await openBridge('Discord'));
  const { sandbox, service } = bridge;
  const { discord } = sandbox;
  const bot = discord.users().find((each) => each.bot)?.id ?? '';
  const { id: forum } = discord.addChannel(kind, 'Questions', settings);

  async function shown(post: string, pattern: RegExp) {
    const find = () => discord.messages(post).find(({ content }) => pattern.test(content));
    if (!find()) await discord.changes.waitFor(() => find() !== undefined);
    return find();
  }

  /** The next query, which is answered at once. */
  async function asked() {
    const query = await service.asked();
    query.store('Answered');
    query.write('Answered');
    query.end();
    return splitContext(query.query);
  }

  async function post(title: string, content: string, tags: string[] = []): Promise<string> {
    return (await discord.openPost({ user: 'ada', channel: forum, title, content, tags })).id;
  }

  /** A manager uses a command, as people type it after a mention, in a post. */
  async function manage(in_: string, command: string, shows: RegExp) {
    await discord.say({ user: 'ada', channel: in_, content: `<@${bot}> ${command}` });
    return shown(in_, shows);
  }

  /** Presses a button below the answer, once it is there. */
  async function press(in_: string, user: string, label: string): Promise<void> {
    const find = () =>
      discord
        .messages(in_)
        .flatMap(({ id, components }) =>
          components
            .flatMap((row) => row.components ?? [])
            .map((button) => ({ ...button, message: id })),
        )
        .find((button) => 'label' in button && button.label === label);
    if (!find()) await discord.changes.waitFor(() => find() !== undefined);
    const button = find();
    const customId = button && 'custom_id' in button ? String(button.custom_id) : '';
    discord.press({ user, message: button?.message ?? '', customId });
  }

  const rules = await post('Rules of this forum', 'Be kind.');
  await manage(rules, `chatbot follow ${following}`, /^✅/);
  const opened = parts.move();
  return {
    discord,
    bot,
    forum,
    rules,
    asked,
    post,
    manage,
    press,
    shown,
    tagsOf: (id: string) => {
      const names = new Map(discord.channel(forum)?.forum?.tags.map(({ id, name }) => [id, name]));
      return discord.channel(id)?.appliedTags?.map((tag) => names.get(tag));
    },
    /** What only this person sees in a post. */
    async told(in_: string, user: string, pattern: RegExp) {
      const message = await shown(in_, pattern);
      expect(message?.ephemeralFor).toBe(
        discord.users().find((each) => each.username === user)?.id,
      );
      return message?.content ?? '';
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

describe.each(['forum', 'media'] as const)('a %s channel', (kind) => {
  test.each(['questions', 'posts', 'everything'])(
    'of which %s are followed: each new post is a question, after its title',
    async (following) => {
      await using forum = await openForum(following, { kind });
      const next = forum.asked();
      const post = await forum.post('Opening hours', 'On holidays, that is.');
      expect(await next).toEqual({ query: 'Opening hours\n\nOn holidays, that is.' });
      await forum.shown(post, /^Answered$/);
      expect(forum.discord.threads(forum.forum)).toHaveLength(2);
    },
  );
});

it('leaves alone what others say in a post where only posts are followed', async () => {
  await using forum = await openForum('posts');
  const { discord, bot, asked, post } = forum;
  const next = asked();
  const id = await post('Printer', 'It is jammed.');
  expect((await next).query).toBe('Printer\n\nIt is jammed.');
  await forum.shown(id, /^Answered$/);
  await discord.say({ user: 'grace', channel: id, content: 'Did you open the lid?' });
  const then = asked();
  await discord.say({ user: 'ada', channel: id, content: `<@${bot}> how?` });
  expect(await then).toMatchObject({ query: 'how?', context: 'Grace: Did you open the lid?' });
});

it('takes a post with its title as what was said before, where it is called later', async () => {
  await using forum = await openForum('threads');
  const { discord, bot, asked, post } = forum;
  const id = await post('Printer', 'It is jammed.');
  const then = asked();
  await discord.say({ user: 'grace', channel: id, content: `<@${bot}> what can be done?` });
  expect(await then).toMatchObject({
    query: 'what can be done?',
    context: 'Ada: Printer It is jammed.',
  });
});

it('answers a post whose title says it all, and one that is only a picture', async () => {
  await using forum = await openForum('posts', { kind: 'media' });
  const { discord, asked } = forum;
  const first = asked();
  await forum.post('Where is the exit?', 'Where is the exit? I am lost.');
  expect((await first).query).toBe('Where is the exit? I am lost.');
  const second = asked();
  const files = [{ name: 'map.txt', type: 'text/plain', bytes: Buffer.from('Exit: left') }];
  await discord.openPost({ user: 'ada', channel: forum.forum, title: 'What is this?', files });
  expect((await second).query).toBe('What is this?');
});

describe('the tag of a solved post', () => {
  const tags = [{ name: 'Urgent' }, { name: 'Solved', moderated: true }];

  it('is set when the person who asked presses Helpful, and taken away with Not helpful', async () => {
    await using forum = await openForum('posts', { tags, needsTag: false });
    const { discord, rules, press, tagsOf } = forum;
    discord.setPermissions({ channel: forum.forum, id: forum.bot, allow: ManageThreads, deny: 0n });
    await forum.manage(
      rules,
      'chatbot tags solved --means solved',
      /Solved: set when the person who asked/,
    );
    const next = forum.asked();
    const id = await forum.post('Printer', 'It is jammed.', ['Urgent']);
    await next;
    await press(id, 'grace', 'Helpful');
    await forum.told(id, 'grace', /^Thank you! I’ve noted that this answer was helpful\.$/);
    expect(tagsOf(id)).toEqual(['Urgent']);
    discord.archive(id);
    await press(id, 'ada', 'Helpful');
    await forum.told(id, 'ada', /helpful\. The post is marked as solved\.$/);
    expect(tagsOf(id)).toEqual(['Urgent', 'Solved']);
    const isArchived = () => discord.channel(id)?.archived === true;
    if (!isArchived()) await discord.changes.waitFor(isArchived);
    await press(id, 'ada', 'Not helpful');
    const isBack = () => tagsOf(id)?.length === 1;
    if (!isBack()) await discord.changes.waitFor(isBack);
  });

  it('is asked for in vain without the permission to set it, which is said', async () => {
    await using forum = await openForum('posts', { tags });
    const { rules, press, tagsOf } = forum;
    await forum.manage(rules, 'chatbot tags solved --means solved', /permission “Manage Threads”/);
    const next = forum.asked();
    const id = await forum.post('Printer', 'It is jammed.');
    await next;
    await press(id, 'ada', 'Helpful');
    await forum.told(
      id,
      'ada',
      /couldn’t mark the post as solved\. .*“Manage Threads” in #Questions/,
    );
    expect(tagsOf(id)).toEqual([]);
  });

  it('is missed when it was deleted from the forum, or the post has five', async () => {
    const five = ['One', 'Two', 'Three', 'Four', 'Five'];
    const all = [...tags, ...five.map((name) => ({ name }))];
    await using forum = await openForum('posts', { tags: all });
    const { discord, rules, press } = forum;
    discord.setPermissions({ channel: forum.forum, id: forum.bot, allow: ManageThreads, deny: 0n });
    await forum.manage(rules, 'chatbot tags solved --means solved', /^✅[^]*Solved: set/);
    const next = forum.asked();
    const full = await forum.post('Printer', 'It is jammed.', five);
    await next;
    await press(full, 'ada', 'Helpful');
    const why = await forum.told(full, 'ada', /^Thank you/);
    expect(why).toContain('The post has five tags already');
    const known = discord.channel(forum.forum)?.forum?.tags ?? [];
    discord.changeForum(forum.forum, { tags: known.filter(({ name }) => name !== 'Solved') });
    const last = forum.asked();
    const id = await forum.post('Scanner', 'It is slow.');
    await last;
    await press(id, 'ada', 'Helpful');
    await forum.told(id, 'ada', /The tag no longer exists in this forum\./);
  });
});

describe('the tags of a forum', () => {
  it('choose the chatbot of a post, until they mean nothing again', async () => {
    await using app = await openApp();
    const { discord } = app.sandbox;
    discord.faults.rateLimits = false;
    const bot = discord.users().find((each) => each.bot)?.id ?? '';
    const tags = [{ name: 'Billing' }, { name: 'Other' }];
    const { id: forum } = discord.addChannel('forum', 'Support', { tags, needsTag: true });
    const post = async (title: string, content: string, tag: string) =>
      (await discord.openPost({ user: 'ada', channel: forum, title, content, tags: [tag] })).id;
    const shown = async (id: string, pattern: RegExp) => {
      const find = () => discord.messages(id).find(({ content }) => pattern.test(content));
      if (!find()) await discord.changes.waitFor(() => find() !== undefined);
      return find()?.content ?? '';
    };
    const direct = discord.directChannel('ada').id;
    const tell = (channel: string, command: string) =>
      discord.say({ user: 'ada', channel, content: `<@${bot}> ${command}` });
    const manage = async (id: string, command: string, pattern: RegExp) => {
      await tell(id, command);
      return shown(id, pattern);
    };
    const rules = await post('Rules', 'Be kind.', 'Other');
    await discord.say({
      user: 'ada',
      channel: rules,
      content: `<@${bot}> chatbot create Accounts`,
    });
    await shown(discord.directChannel('ada').id, /Accounts.*was created/);
    await manage(rules, 'chatbot tags', /Billing: no meaning/);
    await tell(rules, 'chatbot tags Nothing');
    await shown(direct, /no tag “Nothing”.*Choose Billing, Other/);
    await manage(
      rules,
      'chatbot tags billing --chatbot Accounts',
      /✅[^]*Billing: \*\*Accounts\*\* answers/,
    );
    await tell(rules, 'chatbot show');
    await shown(direct, /Billing: \*\*Accounts\*\* answers/);
    await manage(rules, 'chatbot follow posts', /I answer every new post. Below it/);
    const paid = await post('Invoice', 'How do I add a source?', 'Billing');
    // The chatbot of the tag has no sources: the other knows the bot's own.
    await shown(paid, /^I found no answer/);
    const asked = await post('Sources', 'How do I add a source?', 'Other');
    await shown(asked, /Sources: /);
    await manage(rules, 'chatbot tags billing --means nothing', /✅[^]*Billing: no meaning/);
    const again = await post('Again', 'How do I add a source?', 'Billing');
    await shown(again, /Sources: /);
    expect(await app.queries()).not.toContain('Invoice\n\nHow do I add a source?');
  });

  it('choose the chatbot that learns what a manager answers', async () => {
    await using app = await openApp();
    const { discord } = app.sandbox;
    discord.faults.rateLimits = false;
    const bot = discord.users().find((each) => each.bot)?.id ?? '';
    const tags = [{ name: 'Billing' }, { name: 'Other' }];
    const { id: forum } = discord.addChannel('forum', 'Support', { tags });
    const post = async (title: string, content: string, tag: string) =>
      (await discord.openPost({ user: 'ada', channel: forum, title, content, tags: [tag] })).id;
    const shown = async (id: string, pattern: RegExp) => {
      const find = () => discord.messages(id).find(({ content }) => pattern.test(content));
      if (!find()) await discord.changes.waitFor(() => find() !== undefined);
      return find();
    };
    const direct = discord.directChannel('ada').id;
    const tell = (channel: string, command: string) =>
      discord.say({ user: 'ada', channel, content: `<@${bot}> ${command}` });
    const rules = await post('Rules', 'Be kind.', 'Other');
    await tell(rules, 'chatbot create Accounts');
    await shown(direct, /Accounts.*was created/);
    await tell(rules, 'chatbot tags billing --chatbot Accounts');
    await shown(rules, /✅[^]*Billing: \*\*Accounts\*\* answers/);
    await tell(rules, 'chatbot follow posts');
    await shown(rules, /I answer every new post. Below it/);
    const paid = await post('Where is the canteen?', 'Where is the canteen?', 'Billing');
    const refusal = await shown(paid, /^I found no answer/);
    const other = await post('Where is the canteen?', 'Where is the canteen?', 'Other');
    await shown(other, /^I found no answer/);
    const [, turn] = /teach[^"]*?([\w-]{22})/.exec(JSON.stringify(refusal?.components)) ?? [];
    await tell(paid, `source answer --gap ${turn} --answer "The canteen is in building B."`);
    await shown(paid, /^The canteen is in building B/);
    await shown(direct, /is ready[^]*answering the question again/);
    // The chatbot of other posts has learned nothing.
    await tell(rules, '/gaps');
    const list = await shown(direct, /\*\*1 question without a helpful answer/);
    expect(list?.content).toMatch(/Where is the canteen\?.* · no answer found/);
    expect(discord.messages(other)).toHaveLength(2);
  });

  it('are shown nowhere else', async () => {
    await using bridge = await openBridge('Discord');
    const { discord } = bridge.sandbox;
    const bot = discord.users().find((each) => each.bot)?.id ?? '';
    await discord.say({ user: 'ada', channel: '#general', content: `<@${bot}> chatbot tags` });
    const said = () =>
      discord
        .channels()
        .flatMap(({ id }) => discord.messages(id))
        .find(({ content }) => content.startsWith('That is for posts in forum'));
    if (!said()) await discord.changes.waitFor(() => said() !== undefined);
    expect(said()?.content).toMatch(/channels on Discord\. Use it in one of them\./);
  });
});

test('a forum that the bot can’t see is not answered in', async () => {
  await using forum = await openForum('posts');
  const { discord } = forum;
  const hidden = discord.addChannel('forum', 'Hidden').id;
  discord.setPermissions({ channel: hidden, id: forum.bot, allow: 0n, deny: ViewChannel });
  await discord.openPost({ user: 'ada', channel: hidden, title: 'Secret', content: 'Is it?' });
  const next = forum.asked();
  await forum.post('Open', 'Is it?');
  expect((await next).query).toBe('Open\n\nIs it?');
});
