import { expect, test } from 'vitest';
import { textsFor } from '../../../src/bridge/texts/texts.ts';
import { plainText } from '../../../src/sandbox/slack/plain-text.ts';
import { serveWorkspace } from '../../sandbox/slack/serve-workspace.ts';
import { startSlack } from './start-slack.ts';

const file = { name: 'reply.md', text: '# Ünïcode 😀\n\n<!channel>' };

async function ask() {
  const parts = new AsyncDisposableStack();
  const served = parts.use(await serveWorkspace());
  const { slack, ada, help } = served;
  const started = parts.use(await startSlack(slack));
  await slack.say({ user: ada, channel: help, text: 'hi' });
  const { thread } = await started.next();
  const shared = () => slack.messages(help, thread.address.thread).slice(1);
  return { slack, thread, shared, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

test('a text is posted in the thread as a file', async () => {
  await using asked = await ask();
  const { slack, thread, shared } = asked;
  await thread.postFile(file);
  const [message, ...others] = shared();
  expect(others).toEqual([]);
  const [posted] = message?.files ?? [];
  expect(posted).toMatchObject({ name: 'reply.md', title: 'reply.md' });
  expect(await new Response(slack.file(posted?.id ?? '')?.bytes).text()).toBe(file.text);
});

test.each(['files.getUploadURLExternal', 'files.completeUploadExternal'])(
  'the scope that is missing is named (%s)',
  async (method) => {
    await using asked = await ask();
    asked.slack.faults.inject({ method, times: 1, error: 'missing_scope' });
    await expect(asked.thread.postFile(file)).rejects.toMatchObject({
      name: 'PlatformError',
      kind: 'forbidden',
      message: expect.stringMatching(/files:write.*reinstall the app/) as unknown,
    });
  },
);

test.each([
  ['files.getUploadURLExternal', 'file_uploads_disabled', /switched off/],
  ['files.completeUploadExternal', 'file_type_not_allowed', /this type/],
  ['files.getUploadURLExternal', 'file_upload_size_restricted', /too large/],
])('where %s answers %s, the text is a message with the reason', async (method, error, reason) => {
  await using asked = await ask();
  const { slack, thread, shared } = asked;
  slack.faults.inject({ method, times: 1, error });
  await thread.postFile(file);
  const [message, ...others] = shared();
  expect(others).toEqual([]);
  const text = message && plainText(message);
  expect(text).toMatch(reason);
  expect(text).toContain('Ünïcode');
  expect(message?.files ?? []).toEqual([]);
});

test('a text with fences becomes one piece of code, and the reason is in the reader’s language', async () => {
  await using asked = await ask();
  const { slack, thread, shared } = asked;
  const method = 'files.getUploadURLExternal';
  slack.faults.inject({ method, times: 1, error: 'file_uploads_disabled' });
  const text = '{ "answer": "```\ncode\n```" }';
  await thread.postFile({ name: 'session.json', text }, undefined, textsFor('de'));
  const [message] = shared();
  expect(message?.blocks?.[0]).toMatchObject({
    text: expect.stringMatching(/ausgeschaltet[^]*\n````\n[^]*\n````$/) as unknown,
  });
});

test('the text of a file that Slack takes neither as a file nor as blocks is sent as sections', async () => {
  await using asked = await ask();
  const { slack, thread, shared } = asked;
  slack.faults.inject({
    method: 'files.getUploadURLExternal',
    times: 1,
    error: 'file_uploads_disabled',
  });
  slack.faults.inject({ method: 'chat.postMessage', times: 1, error: 'invalid_blocks' });
  await thread.postFile(file);
  expect(shared().map(({ blocks }) => blocks?.map(({ type }) => type))).toEqual([['section']]);
});

test('a file whose response was lost is not posted again', async () => {
  await using asked = await ask();
  const { slack, thread, shared } = asked;
  const method = 'files.completeUploadExternal';
  slack.faults.inject({ method, times: 1, afterEffect: true, drop: true });
  await thread.postFile(file);
  expect(shared()).toHaveLength(1);
  slack.faults.inject({ method, times: 1, drop: true });
  await expect(thread.postFile(file)).rejects.toMatchObject({ kind: 'failed' });
  expect(shared()).toHaveLength(1);
});

test('a rate limit is an error at once', async () => {
  await using asked = await ask();
  const { slack, thread, shared } = asked;
  slack.faults.inject({ method: 'files.getUploadURLExternal', times: 1, retryAfter: 9 });
  const limited = { kind: 'rate_limited', retryAfterMs: 9_000 };
  await expect(thread.postFile(file)).rejects.toMatchObject(limited);
  expect(shared()).toEqual([]);
});
