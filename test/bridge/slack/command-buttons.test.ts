import { expect, test } from 'vitest';
import type { Pressed, Result } from '../../../src/bridge/commands/invocation.ts';
import { plainText } from '../../../src/sandbox/slack/plain-text.ts';
import { createPlainRunner } from '../../fixtures/plain-runner.ts';
import { serveWorkspace } from '../../sandbox/slack/serve-workspace.ts';
import { source } from './example-commands.ts';
import { startSlack } from './start-slack.ts';

async function* shown(markdown: string): AsyncGenerator<Result> {
  yield { markdown };
}

const shownAs = {
  here: { messages: ['Page 2'], ephemerals: [] },
  channel: { messages: ['Page 1', 'Page 2'], ephemerals: [] },
  private: { messages: ['Page 1'], ephemerals: ['Page 2'] },
} as const;

test.each([
  ['in place of the result', 'here'],
  ['to everyone in the channel', 'channel'],
  ['only to the person who pressed, beside the result', 'private'],
] as const)('what a button shows appears %s', async (_where, place) => {
  await using served = await serveWorkspace();
  const { slack, ada, grace, help } = served;
  const pressed = Promise.withResolvers<Pressed>();
  const commands = createPlainRunner({
    commands: [source],
    async *run() {
      yield { markdown: 'Page 1', buttons: [{ id: 'next', label: 'Next' }] };
    },
    press: () => pressed.promise,
  });
  await using _ = await startSlack(slack, 'socket', { commands });
  const said = (text: string) =>
    slack.waitFor(
      (change) =>
        (change.kind === 'message' || change.kind === 'ephemeral') &&
        plainText(change.message) === text,
    );
  const first = said('Page 1');
  await slack.command({ user: ada, channel: help, command: '/source', text: 'url https://x' });
  await first;
  const [result] = slack.messages(help);
  const next = said('Page 2');
  const button = { ts: result?.ts ?? '', actionId: 'causeway_command_0' };
  expect(await slack.press({ user: grace, channel: help, ...button })).toBe(true);
  pressed.resolve({ place, results: shown('Page 2') });
  await next;
  const { messages, ephemerals } = shownAs[place];
  expect(slack.messages(help).map(plainText)).toEqual(messages);
  expect(slack.ephemerals(grace, help).map(plainText)).toEqual(ephemerals);
});
