import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBridge, platforms } from './scripted-bridge.ts';

describe.each(['Slack', 'Discord'] as const)('a reply on %s', (name) => {
  /** For every test that leaves nothing but threads of its own. */
  let shared: Awaited<ReturnType<typeof openBridge>>;
  beforeAll(async () => {
    shared = await openBridge(name);
    // What platforms allow a minute is shown elsewhere.
    platforms[name].faultsOf(shared.sandbox).rateLimits = false;
  });
  afterAll(() => shared[Symbol.asyncDispose]());

  it('says in plain words that the service refuses', async () => {
    const { ask, texts } = shared;
    const { thread, asked } = await ask('refused?');
    asked.refuse(401, '{"error":"bad key"}');
    const [said] = await texts(thread, 1, /⚠️/);
    expect(said).toMatch(/I’m not set up yet: .* have been told\./);
    expect(said).not.toContain('bad key');
  });

  it('keeps what arrived if the service dies', async () => {
    const { begin, texts } = shared;
    const { thread, asked } = await begin();
    asked.die();
    expect(await texts(thread, 1, /⚠️/)).toEqual([
      expect.stringMatching(/^The first words\n\n⚠️ The answer was cut off/),
    ]);
  });

  it('keeps what arrived if the service falls silent', async () => {
    await using bridge = await openBridge(name, { REPLY_TIMEOUT_SECONDS: '1' });
    const { begin, texts } = bridge;
    const { thread } = await begin();
    expect(await texts(thread, 1, /⚠️/)).toEqual([
      expect.stringMatching(/^The first words\n\n⚠️ The chatbot service took too long/),
    ]);
  });

  it('says so if the service never answers', async () => {
    await using bridge = await openBridge(name, {
      REPLY_TIMEOUT_SECONDS: '1',
      REPLY_FIRST_TEXT_SECONDS: '1',
    });
    const { ask, texts } = bridge;
    const { thread } = await ask('anybody there?');
    expect(await texts(thread, 1, /⚠️/)).toEqual([
      expect.stringMatching(/^⚠️ The chatbot service took too long/),
    ]);
  });

  it('says so if the service answers with garbage', async () => {
    const { ask, texts } = shared;
    const { thread, asked } = await ask('garbage?');
    asked.refuse(203, '<h1>Please log in</h1>');
    expect(await texts(thread, 1, /⚠️/)).toEqual([
      expect.stringMatching(/^⚠️ The chatbot service sent a response I can’t read/),
    ]);
  });

  it('is completed from what the service stored if its stream breaks off', async () => {
    const { begin, texts } = shared;
    const { thread, asked } = await begin();
    asked.store('The first words, and the last.');
    asked.die();
    expect(await texts(thread, 1, /last/)).toEqual(['The first words, and the last.']);
  });

  it('starts a new session, and says so, if the service lost the old one', async () => {
    const { service, seat, begin, texts } = shared;
    const { thread, asked } = await begin();
    asked.end();
    await texts(thread, 1, /words$/);
    const again = service.asked();
    await seat.say(thread, 'still there?');
    const lost = await again;
    const fresh = service.asked();
    lost.refuse(404, '{"error":"no such session"}');
    const found = await fresh;
    expect(found.session).not.toBe(lost.session);
    found.write('Hello again');
    found.end();
    const [, said] = await texts(thread, 2, /no longer has/);
    expect(said).toMatch(/^Hello again/);
  });

  it.each(['gone', 'uneditable'] as const)(
    'continues in a new message if the first is %s, and the first does not stay beside it',
    async (kind) => {
      const { begin, refuseEdits, texts } = shared;
      const { thread, asked } = await begin();
      refuseEdits(platforms[name][kind]);
      asked.write(', and the last.');
      asked.end();
      expect(await texts(thread, 1, /last\.$/)).toEqual(['The first words, and the last.']);
    },
  );

  it('is written whole even if the platform fails at its end', async () => {
    const { begin, refuseEdits, texts } = shared;
    const { thread, asked } = await begin();
    refuseEdits({ status: 502 });
    refuseEdits({ drop: true });
    refuseEdits({ retryAfter: 0.1 });
    asked.write(', and the last.');
    asked.end();
    expect(await texts(thread, 1, /last\.$/)).toEqual(['The first words, and the last.']);
  });

  it('logs which permission the bot lacks', async () => {
    await using bridge = await openBridge(name);
    const { begin, refuseEdits, texts, nextError } = bridge;
    const { thread, asked } = await begin();
    refuseEdits(platforms[name].forbidden, 20);
    asked.write(', and the last.');
    asked.end();
    expect(await nextError()).toMatchObject({
      message: expect.stringContaining(platforms[name].named),
    });
    expect(await texts(thread, 2, /⚠️/)).toEqual([
      'The first words',
      expect.stringContaining(platforms[name].named),
    ]);
  });
});

describe('a reply in a thread of Discord’s', () => {
  it('goes on in one message after the thread was archived', async () => {
    await using bridge = await openBridge('Discord');
    const { begin, sandbox, texts } = bridge;
    const { thread, asked } = await begin();
    sandbox.discord.archive(thread);
    asked.write(', and the last.');
    asked.end();
    expect(await texts(thread, 1, /last\.$/)).toEqual(['The first words, and the last.']);
  });

  it.each([
    ['locked', { locked: true }],
    ['locked and archived', { locked: true, archived: true }],
  ])('stays as it is once a moderator has %s it, and its asker is told why', async (_, change) => {
    await using bridge = await openBridge('Discord');
    const { begin, sandbox, texts } = bridge;
    const { discord } = sandbox;
    const { thread, asked } = await begin();
    discord.changePost({ user: 'ada', post: thread, ...change });
    asked.write(', and the last.');
    asked.end();
    const direct = discord.directChannel('ada').id;
    const [told] = await texts(direct, 1, /⚠️/);
    expect(told).toMatch(/why\?[^]*thread is locked/);
    expect(await texts(thread, 1, /words$/)).toEqual(['The first words']);
  });
});
