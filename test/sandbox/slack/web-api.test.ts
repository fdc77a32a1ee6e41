import { describe, expect, test } from 'vitest';
import { webApi } from '@slack/bolt';
import { createClock } from '../clock.ts';
import { createClient, refusal, serveWorkspace } from './serve-workspace.ts';

const markdown = (text: string) => [{ type: 'markdown', text } as const];

describe('authentication', () => {
  test('auth.test says who the bot is', async () => {
    await using served = await serveWorkspace();
    const { slack } = served;
    expect(await createClient(slack).auth.test()).toMatchObject({
      ok: true,
      team: slack.team.name,
      team_id: slack.team.id,
      user: 'causeway',
      user_id: slack.bot.user,
      bot_id: slack.bot.bot,
    });
  });

  test('a missing token, a wrong token and a token of another kind have different errors', async () => {
    await using served = await serveWorkspace();
    const { slack } = served;
    const { appToken, apiUrl } = slack.credentials;
    const anonymous = await fetch(`${apiUrl}auth.test`, { method: 'POST' });
    expect(await anonymous.json()).toEqual({ ok: false, error: 'not_authed' });
    expect((await refusal(createClient(slack, 'xoxb-nobody').auth.test())).error).toBe(
      'invalid_auth',
    );
    expect((await refusal(createClient(slack, appToken).auth.test())).error).toBe(
      'not_allowed_token_type',
    );
  });
});

describe('metadata', () => {
  const metadata = { event_type: 'asked', event_payload: { key: 'k1' } };

  test('stays on an edited message until an edit replaces or removes it', async () => {
    await using served = await serveWorkspace();
    const { client, help: channel } = served;
    const { ts = '' } = await client.chat.postMessage({ channel, text: 'a', metadata });
    const read = async () => {
      const whole = { channel, ts, include_all_metadata: true };
      return (await client.conversations.replies(whole)).messages?.[0]?.metadata;
    };
    await client.chat.update({ channel, ts, text: 'b' });
    expect(await read()).toEqual(metadata);
    const other = { ...metadata, event_payload: { key: 'k2' } };
    await client.chat.update({ channel, ts, text: 'c', metadata: other });
    expect(await read()).toEqual(other);
    await client.apiCall('chat.update', { channel, ts, text: 'd', metadata: {} });
    expect(await read()).toBeUndefined();
  });

  test('is returned in full only on request', async () => {
    await using served = await serveWorkspace();
    const { client, help: channel } = served;
    await client.chat.postMessage({ channel, text: 'a', metadata });
    const { messages } = await client.conversations.history({ channel });
    expect(messages?.[0]?.metadata).toEqual({ event_type: 'asked' });
    const whole = await client.conversations.history({ channel, include_all_metadata: true });
    expect(whole.messages?.[0]?.metadata).toEqual(metadata);
  });
});

describe('messages', () => {
  test('JSON and forms are both understood', async () => {
    await using served = await serveWorkspace();
    const { slack, help } = served;
    const { botToken, apiUrl } = slack.credentials;
    const blocks = [{ type: 'section', text: { type: 'mrkdwn', text: '*hello*' } }];
    const response = await fetch(`${apiUrl}chat.postMessage`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${botToken}`,
        'content-type': 'application/json; charset=utf-8',
      },
      body: JSON.stringify({ channel: help, blocks }),
    });
    expect(await response.json()).toMatchObject({ ok: true, channel: help, message: { blocks } });
    await createClient(slack).chat.postMessage({ channel: '#help', text: 'hello', blocks });
    expect(slack.messages(help).map(({ blocks: kept }) => kept)).toMatchObject([blocks, blocks]);

    const broken = await fetch(`${apiUrl}chat.postMessage`, {
      method: 'POST',
      headers: { authorization: `Bearer ${botToken}`, 'content-type': 'application/json' },
      body: '{',
    });
    expect(await broken.json()).toMatchObject({ ok: false, error: 'invalid_json' });
  });

  test('a text over 40,000 characters is cut, with a warning', async () => {
    await using served = await serveWorkspace();
    const { slack, help } = served;
    const posted = await createClient(slack).chat.postMessage({
      channel: help,
      text: 'x'.repeat(40_001),
    });
    expect(posted).toMatchObject({
      warning: 'message_truncated',
      response_metadata: { warnings: ['message_truncated'] },
    });
    expect(slack.messages(help)[0]?.text).toHaveLength(40_000);
  });

  test('an edit with only a text removes the blocks and is shown as edited', async () => {
    await using served = await serveWorkspace();
    const { slack, client, help } = served;
    const { ts } = await client.chat.postMessage({ channel: help, markdown_text: '**one**' });
    const at = { channel: help, ts: String(ts) };
    expect(slack.messages(help)[0]).toMatchObject({ blocks: markdown('**one**') });
    await client.chat.update({ ...at, text: 'two', blocks: markdown('**two**') });
    expect(slack.messages(help)[0]).toMatchObject({ text: 'two', blocks: markdown('**two**') });
    expect(slack.messages(help)[0]?.edited).toBeUndefined();
    await client.chat.update({ ...at, text: 'three' });
    expect(slack.messages(help)[0]?.blocks).toBeUndefined();
    expect(slack.messages(help)[0]?.edited).toMatchObject({ user: slack.bot.user });
    expect(slack.revisions(help, at.ts)).toEqual(['**one**', '**two**', 'three']);
  });

  test('only the last 200 revisions of a message are kept', async () => {
    await using served = await serveWorkspace();
    const { slack, ada, help } = served;
    const { ts } = await slack.say({ user: ada, channel: help, text: 'revision 0' });
    for (let count = 1; count <= 250; count += 1) {
      slack.edit({ channel: help, ts, text: `revision ${count}` });
    }
    const revisions = slack.revisions(help, ts);
    expect(revisions).toHaveLength(200);
    expect(revisions.at(-1)).toBe('revision 250');
    expect(slack.messages(help)[0]).toMatchObject({ text: 'revision 250', edits: 250 });
  });

  test('a deleted message is gone, but one with replies keeps its thread', async () => {
    await using served = await serveWorkspace();
    const { slack, client, ada, help } = served;
    const { ts } = await client.chat.postMessage({ channel: help, text: 'root' });
    const reply = await slack.say({ user: ada, channel: help, thread: String(ts), text: 'reply' });
    await client.chat.delete({ channel: help, ts: String(ts) });
    expect(slack.messages(help)).toMatchObject([{ ts, subtype: 'tombstone', reply_count: 1 }]);
    slack.remove({ channel: help, ts: reply.ts });
    expect(slack.messages(help, String(ts))).toMatchObject([{ ts, reply_count: 0 }]);
  });

  test('ephemeral messages go to people in the channel', async () => {
    await using served = await serveWorkspace();
    const { slack, client, ada, help } = served;
    const sent = await client.chat.postEphemeral({ channel: help, user: ada, text: 'psst' });
    expect(slack.ephemerals(ada, help)).toMatchObject([{ ts: sent.message_ts, text: 'psst' }]);
    expect(slack.messages(help)).toEqual([]);
  });

  test('a permalink names channel and message', async () => {
    await using served = await serveWorkspace();
    const { slack, ada, help } = served;
    const { ts } = await slack.say({ user: ada, channel: help, text: 'here' });
    const link = await createClient(slack).chat.getPermalink({ channel: help, message_ts: ts });
    expect(link.permalink).toMatch(new RegExp(`/archives/${help}/p${ts.replace('.', '')}$`));
    const visited = await fetch(String(link.permalink), { redirect: 'manual' });
    expect(visited.headers.get('location')).toBe(`/sandbox/#slack/${help}/${ts}`);
  });

  test('a status shows until the app posts in the thread', async () => {
    await using served = await serveWorkspace();
    const { slack, client, ada, help } = served;
    const { ts } = await slack.say({ user: ada, channel: help, text: 'question' });
    const thread = { channel_id: help, thread_ts: ts };
    await client.assistant.threads.setStatus({ ...thread, status: 'is thinking…' });
    expect(slack.status(help, ts)).toBe('is thinking…');
    await client.chat.postMessage({ channel: help, thread_ts: ts, text: 'answer' });
    expect(slack.status(help, ts)).toBe('');
  });
});

describe('people and channels', () => {
  test('users.info returns the name, the time zone and, on request, the locale', async () => {
    await using served = await serveWorkspace();
    const { client, ada } = served;
    const { user } = await client.users.info({ user: ada, include_locale: true });
    expect(user).toMatchObject({
      name: 'ada',
      real_name: 'Ada Lovelace',
      tz: 'Europe/London',
      locale: 'en-GB',
      is_admin: true,
      is_bot: false,
    });
    expect((await client.users.info({ user: ada })).user).not.toHaveProperty('locale');
  });

  test('user groups are listed, with the people in them on request', async () => {
    await using served = await serveWorkspace();
    const { slack, client, ada, grace } = served;
    const { id } = slack.saveUserGroup({ handle: 'editors', users: [ada] });
    expect(slack.saveUserGroup({ handle: 'editors', users: [ada, grace] }).id).toBe(id);
    const group = { id, handle: 'editors', is_usergroup: true };
    const plain = (await client.usergroups.list()).usergroups?.find((each) => each.id === id);
    expect(plain).toMatchObject(group);
    expect(plain).not.toHaveProperty('users');
    const { usergroups } = await client.usergroups.list({
      include_users: true,
      include_count: true,
    });
    expect(usergroups).toContainEqual(
      expect.objectContaining({ ...group, users: [ada, grace], user_count: 2 }),
    );
  });

  test('conversations are listed, described and opened', async () => {
    await using served = await serveWorkspace();
    const { slack, client, ada, help, random } = served;
    slack.install({
      display_information: { name: 'Causeway' },
      features: { bot_user: { display_name: 'Causeway' } },
      oauth_config: { scopes: { bot: ['channels:read', 'im:read', 'im:write'] } },
    });
    const { channels } = await client.conversations.list();
    expect(channels?.map(({ name, is_member }) => [name, is_member])).toEqual([
      ['general', true],
      ['help', true],
      ['random', false],
    ]);
    const everything = await client.conversations.list({ types: 'public_channel,im', limit: 4 });
    expect(everything.channels).toHaveLength(4);
    const cursor = String(everything.response_metadata?.next_cursor);
    const rest = await client.conversations.list({ types: 'public_channel,im', cursor });
    expect(rest.channels).toHaveLength(3);
    expect(rest.response_metadata?.next_cursor).toBe('');

    expect((await client.conversations.info({ channel: random })).channel).toMatchObject({
      name: 'random',
      is_member: false,
    });
    expect((await client.conversations.members({ channel: help })).members).toContain(ada);
    const opened = await client.conversations.open({ users: ada });
    expect(opened.channel?.id).toBe(slack.direct(ada).id);
    expect((await refusal(client.conversations.open({ users: 'U000' }))).error).toBe(
      'user_not_found',
    );
  });

  test('an app whose reading is limited gets 15 messages, once a minute', async () => {
    let later = 0;
    await using served = await serveWorkspace({ now: () => Date.now() + later });
    const { slack, client, ada, help } = served;
    const { ts } = await slack.say({ user: ada, channel: help, text: 'root' });
    for (let n = 1; n < 20; n += 1) {
      await slack.say({ user: ada, channel: help, thread: ts, text: `${n}` });
    }
    const read = () => client.conversations.replies({ channel: help, ts, limit: 200 });
    expect((await read()).messages).toHaveLength(20);
    slack.switches.limitsHistory = true;
    expect(await read()).toMatchObject({ has_more: true, messages: { length: 15 } });
    await expect(read()).rejects.toMatchObject({ retryAfter: 60 });
    expect((await client.conversations.history({ channel: help })).messages).toHaveLength(1);
    later = 60_000;
    expect((await read()).messages).toHaveLength(15);
  });

  test('history is newest first, replies oldest first, in pages', async () => {
    await using served = await serveWorkspace();
    const { slack, client, ada, help } = served;
    const say = (text: string, thread?: string) =>
      slack.say({ user: ada, channel: help, text, ...(thread && { thread }) });
    const [one, two] = [await say('one'), await say('two')];
    await say('reply', one.ts);

    const history = await client.conversations.history({ channel: help });
    expect(history.messages?.map(({ text }) => text)).toEqual(['two', 'one']);
    const newer = await client.conversations.history({ channel: help, oldest: one.ts });
    expect(newer.messages?.map(({ text }) => text)).toEqual(['two']);
    const page = await client.conversations.history({ channel: help, limit: 1 });
    expect(page).toMatchObject({ has_more: true, messages: [{ text: 'two' }] });

    const replies = await client.conversations.replies({ channel: help, ts: one.ts });
    expect(replies.messages?.map(({ text }) => text)).toEqual(['one', 'reply']);
    const alone = await client.conversations.replies({ channel: help, ts: two.ts });
    expect(alone.messages).toHaveLength(1);
  });
});

describe('limits and faults', () => {
  test('each channel takes five posts at once and then one a second', async () => {
    const clock = createClock();
    await using served = await serveWorkspace(clock);
    const { client, help, general } = served;
    const post = (channel: string) => client.chat.postMessage({ channel, text: 'x' });
    for (let count = 0; count < 5; count += 1) await post(help);
    await expect(post(help)).rejects.toMatchObject({ retryAfter: 1 });
    await post(general);
    clock.advance(1_000);
    await post(help);
    await expect(post(help)).rejects.toThrow(webApi.WebAPIRateLimitedError);
  });

  test('edits share fifty a minute across the workspace', async () => {
    const clock = createClock();
    await using served = await serveWorkspace(clock);
    const { slack, client, help, general } = served;
    const first = await client.chat.postMessage({ channel: help, text: 'x' });
    const second = await client.chat.postMessage({ channel: general, text: 'x' });
    const edit = (count: number) => {
      const { channel, ts } = count % 2 === 0 ? first : second;
      return client.chat.update({ channel: String(channel), ts: String(ts), text: `${count}` });
    };
    for (let count = 0; count < 50; count += 1) await edit(count);
    await expect(edit(50)).rejects.toMatchObject({ retryAfter: 2 });
    const raw = await fetch(`${slack.credentials.apiUrl}chat.update`, {
      method: 'POST',
      headers: { authorization: `Bearer ${slack.credentials.botToken}` },
    });
    expect(raw.status).toBe(429);
    expect(raw.headers.get('retry-after')).toBe('2');
    expect(await raw.json()).toEqual({ ok: false, error: 'ratelimited' });

    slack.faults.rateLimits = false;
    await edit(51);
  });

  test('messages are limited in each channel, and in the whole workspace', async () => {
    const clock = createClock();
    await using served = await serveWorkspace(clock);
    const { slack, client, help } = served;
    const [person = ''] = slack.users().map(({ id }) => id);
    const members = [person, slack.bot.user];
    const post = (channel: string) => client.chat.postMessage({ channel, text: 'x' });
    for (let count = 0; count < 5; count += 1) await post(help);
    await expect(post(help)).rejects.toMatchObject({ retryAfter: 1 });
    for (let count = 0; count < 295; count += 1) {
      const name = `channel-${count % 60}`;
      const { id } = slack.openChannel({ kind: 'channel', name, members });
      await post(id);
    }
    const { id } = slack.openChannel({ kind: 'channel', name: 'one-more', members });
    await expect(post(id)).rejects.toMatchObject({ retryAfter: 1 });
  });

  test('an injected fault replaces the answer, before or after the call takes effect', async () => {
    await using served = await serveWorkspace();
    const { slack, client, help } = served;
    const method = 'chat.postMessage';
    const post = () => client.chat.postMessage({ channel: help, text: 'x' });
    slack.faults.inject({ method, times: 1, error: 'fatal_error' });
    expect((await refusal(post())).error).toBe('fatal_error');
    slack.faults.inject({ method, times: 1, retryAfter: 7 });
    await expect(post()).rejects.toMatchObject({ retryAfter: 7 });
    slack.faults.inject({ method, times: 1, drop: true });
    await expect(post()).rejects.toThrow(webApi.WebAPIRequestError);
    expect(slack.messages(help)).toEqual([]);

    slack.faults.inject({ method, times: 1, status: 502, afterEffect: true });
    await expect(post()).rejects.toMatchObject({ statusCode: 502 });
    expect(slack.messages(help)).toHaveLength(1);
    await post();
    expect(slack.messages(help)).toHaveLength(2);
  });

  test('with latency, a write takes effect halfway and is answered at the end', async () => {
    const clock = createClock();
    await using served = await serveWorkspace(clock);
    const { slack, help } = served;
    slack.faults.latency = 800;
    const posted = slack.waitFor((change) => change.kind === 'message');
    const answered = createClient(slack).chat.postMessage({ channel: help, text: 'slow' });
    await clock.sleeping(400);
    expect(slack.messages(help)).toEqual([]);
    clock.advance(400);
    await posted;
    expect(
      await Promise.race([answered.then(() => 'answered'), clock.sleeping(400)]),
    ).toBeUndefined();
    clock.advance(400);
    expect(await answered).toMatchObject({ ok: true });
  });
});
