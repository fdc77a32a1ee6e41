import {
  type Asked,
  describeLateEdits,
  describeLongLimits,
  describeLostPosts,
  type PostingPlatform,
} from '../../contracts/lost-posts.ts';
import { openServer } from './open-server.ts';

async function openDiscord(): Promise<PostingPlatform> {
  let later = 0;
  await using parts = new AsyncDisposableStack();
  const server = parts.use(await openServer({ now: () => Date.now() + later }));
  const { discord } = server;
  // A response that is lost with its headers counts all the same: each test would wait for it.
  discord.faults.rateLimits = false;
  const { heard } = await server.connect();
  const open = parts.move();
  return {
    faults: discord.faults,
    // The library retries such a response three times.
    loss: { status: 502 },
    post: 'POST /channels/:channel/messages',
    edit: 'PATCH /channels/:channel/messages/:message',
    look: 'GET /channels/:channel/messages',
    async ask() {
      const content = `${server.mention} why?`;
      const { id: question } = await discord.say({ user: 'ada', channel: '#help', content });
      return { question, thread: (await heard('why?')).thread };
    },
    async restart({ thread }: Asked) {
      return (await server.connect()).platform.thread(thread.address);
    },
    advance: (milliseconds) => void (later += milliseconds),
    shown: ({ thread }) =>
      discord.messages(thread.address.thread).map(({ id, content, components }) => ({
        id,
        text: content,
        buttons: JSON.stringify(components).match(/(?<="label":")[^"]*/g) ?? [],
      })),
    changed: () => discord.changes.waitFor(({ kind }) => kind === 'message'),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

describeLostPosts(openDiscord);
describeLateEdits(openDiscord);
describeLongLimits(openDiscord);
