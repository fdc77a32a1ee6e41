import { expect, it } from 'vitest';
import { openBridge } from './scripted-bridge.ts';

it('a message that Slack sends on both sockets is answered once', async () => {
  await using bridge = await openBridge('Slack', { SHUTDOWN_GRACE_SECONDS: '0' });
  const { slack } = bridge.sandbox;
  if (slack.connections() < 2) {
    await slack.waitFor((change) => change.kind === 'connections' && change.count === 2);
  }
  slack.repeat();
  const threads: string[] = [];
  for (const query of ['one?', 'two?']) {
    const { thread, asked } = await bridge.ask(query);
    expect(asked.query).toBe(query);
    asked.write(`Yes, ${query}`);
    asked.end();
    await bridge.texts(thread, 1, /^Yes/);
    threads.push(thread);
  }
  for (const thread of threads) expect(await bridge.texts(thread, 1, /^Yes/)).toHaveLength(1);
});
