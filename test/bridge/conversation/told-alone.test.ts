import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { PlatformError } from '../../../src/bridge/conversation/errors.ts';
import type { Notice } from '../../../src/bridge/conversation/platform.ts';
import { createAdmission } from '../../../src/bridge/conversation/questions.ts';
import {
  createFakeMessage,
  createFakeThread,
  deliver,
  fakeAddress,
  turnOf,
} from '../../fixtures/fake-thread.ts';
import { createMemoryStore } from '../../fixtures/memory-store.ts';
import { fakeSettings } from '../../fixtures/open-tenancy.ts';
import { setUpConversation } from './set-up-conversation.ts';

const { create } = setUpConversation();

/** A conversation whose platform tells people something alone, unless they take no direct messages. */
function createTelling({ isClosed = false } = {}) {
  const notices: Notice[] = [];
  const notify = async (_: string, notice: Notice) => {
    if (isClosed) throw new PlatformError('forbidden', 'discord_direct_refused');
    notices.push(notice);
  };
  return { ...create({ notify }), notices };
}

/** A thread where the bot may not write. */
function createClosedThread() {
  const thread = createFakeThread();
  thread.beforeWrite = () => {
    throw new PlatformError('forbidden', 'slack_not_in_channel');
  };
  return thread;
}

const inPlace = { person: 'U1', in: { channel: 'C', thread: 'T' } };

describe('where the bot may not write', () => {
  it('whoever asks is told alone, with what can be done', async () => {
    const { ask, finish, notices } = createTelling();
    await ask(createClosedThread(), 'Why *me*?');
    await finish();
    expect(notices).toEqual([
      {
        workspace: 'W',
        to: inPlace,
        markdown:
          '⚠️ I can’t answer where you asked “Why \\*me\\*?”. I’m not a member of this channel. Invite me with “/invite” and my name.',
      },
    ]);
  });

  it('so is whoever only greets it', async () => {
    const { ask, finish, notices } = createTelling();
    await ask(createClosedThread(), '');
    await finish();
    expect(notices.map(({ markdown }) => markdown)).toEqual([
      expect.stringMatching(/^⚠️ I can’t answer where you wrote to me\. .+“\/invite”/),
    ]);
  });
});

describe('that a person may not stop an answer, or that there is none', () => {
  it('is told to them alone', async () => {
    const { ask, notices, openRows } = createTelling();
    const thread = createFakeThread();
    await ask(thread, 'stop');
    expect(thread.visible()).toEqual([]);
    expect(await openRows()).toEqual([]);
    const markdown = expect.stringContaining('nothing to stop');
    expect(notices).toMatchObject([{ to: inPlace, markdown }]);
  });

  it('is said in the thread if they can’t be reached', async () => {
    const { ask } = createTelling({ isClosed: true });
    const thread = createFakeThread();
    await ask(thread, 'stop');
    expect(thread.visible()).toEqual([expect.stringContaining('nothing to stop')]);
  });
});

it.each([
  ['message_gone', 'all of it'],
  ['thread_gone', 'all of it'],
  ['message_gone', 'its last text'],
] as const)(
  'nobody is told where the question was deleted (%s, refusing %s)',
  async (code, what) => {
    const { conversation, inbox, openRows, finish, notices } = createTelling();
    const thread = createFakeThread();
    thread.beforeWrite = (_, { markdown }) => {
      if (what === 'all of it' || markdown.includes('Why')) throw new PlatformError('gone', code);
    };
    const message = createFakeMessage(thread, 'Why?');
    await conversation.received(deliver(message));
    await finish();
    expect(notices).toEqual([]);
    expect(thread.visible()).toEqual([]);
    expect(await inbox.get(turnOf(message))).toMatchObject({ state: 'ended', removed: true });
    expect(await openRows()).toEqual([]);
  },
);

it('that a limit of questions is used up is told once for each channel', async () => {
  const { questions, tenancy } = create();
  const admission = createAdmission({
    questions,
    tenancy,
    settings: fakeSettings({}, { limits: { channel: 1 } }),
    told: createMemoryStore<true>(),
    renderTime: (timestamp) => timestamp,
  });
  const notices: Notice[] = [];
  const notify = async (_: string, notice: Notice) => void notices.push(notice);
  const { ask } = create({ admission, notify });
  const askIn = async (channel: string) => {
    notices.length = 0;
    const thread = createFakeThread({ address: { ...fakeAddress, channel } });
    await ask(thread, 'Why?', { id: randomUUID() });
    return [thread.visible().length, notices.length];
  };
  expect(await askIn('C1')).toEqual([1, 0]);
  expect(await askIn('C1')).toEqual([0, 1]);
  expect(await askIn('C1')).toEqual([0, 0]);
  expect(await askIn('C2')).toEqual([1, 0]);
  expect(await askIn('C2')).toEqual([0, 1]);
  expect(await askIn('C2')).toEqual([0, 0]);
});
