import { expect, test } from 'vitest';
import { createClock } from '../clock.ts';
import { openSocket } from './open-socket.ts';
import { createClient, refusal, serveWorkspace } from './serve-workspace.ts';

const plain = (text: string) => ({ type: 'plain_text', text }) as const;
const option = (value: string) => ({ text: plain(value.toUpperCase()), value });
const modal = (title: string, blocks: object[] = []) => ({
  type: 'modal' as const,
  title: plain(title),
  submit: plain('Save'),
  blocks,
});
const field = (id: string, element: object, more = {}) => ({
  type: 'input',
  block_id: id,
  label: plain(id),
  element: { action_id: id, ...element },
  ...more,
});

const file = (name: string, size = 6) => ({ name, bytes: new Uint8Array(size) });

/** A workspace where Ada has a modal open, and the app's connection. */
async function openModal(view: object, clock = createClock()) {
  const served = await serveWorkspace(clock);
  const { slack, ada, help } = served;
  const link = await openSocket(slack);
  await link.next();
  const running = slack.command({ user: ada, channel: help, command: '/source' });
  const frame = await link.next();
  const trigger_id = String(frame.payload?.['trigger_id']);
  link.acknowledge(frame);
  await running;
  const client = createClient(slack);
  const opened = await client.apiCall('views.open', { trigger_id, view });
  const [open] = slack.modals(ada);
  if (!open) throw new Error('No modal opened.');
  return { ...served, clock, link, client, trigger_id, view: open, opened };
}

test('a modal opens for the person who ran the command, with the fields that Slack adds', async () => {
  await using served = await openModal(modal('Add'));
  const { slack, ada, grace, view, opened } = served;
  expect(opened).toMatchObject({ view: { id: view.id, hash: view.hash, callback_id: '' } });
  expect(view).toMatchObject({
    team_id: slack.team.id,
    root_view_id: view.id,
    previous_view_id: null,
  });
  expect(slack.modals(ada)).toHaveLength(1);
  expect(slack.modals(grace)).toEqual([]);
});

test('a trigger id works once and for 3 seconds', async () => {
  await using served = await openModal(modal('Add'));
  const { slack, ada, help, clock, client, link, trigger_id } = served;
  const open = async (id: string) =>
    (await refusal(client.apiCall('views.open', { trigger_id: id, view: modal('Again') }))).error;
  expect(await open(trigger_id)).toBe('exchanged_trigger_id');
  expect(await open('1.2.abc')).toBe('invalid_trigger_id');

  const running = slack.command({ user: ada, channel: help, command: '/source' });
  const frame = await link.next();
  link.acknowledge(frame);
  await running;
  clock.advance(3_001);
  expect(await open(String(frame.payload?.['trigger_id']))).toBe('expired_trigger_id');
});

test('the values of a modal arrive in Slack’s format, with defaults', async () => {
  const options = [option('a'), option('b'), option('c')];
  await using served = await openModal(
    modal('Add', [
      field('name', { type: 'plain_text_input' }),
      field('note', { type: 'plain_text_input', initial_value: 'as before' }),
      field('empty', { type: 'plain_text_input' }, { optional: true }),
      field('agent', { type: 'static_select', options, initial_option: options[0] }),
      field('tags', { type: 'checkboxes', options }),
      field('mode', { type: 'radio_buttons', options }),
      field('day', { type: 'datepicker' }),
      field('files', { type: 'file_input', max_files: 2 }),
    ]),
  );
  const { slack, ada, link, view } = served;
  const submitting = slack.submit({
    user: ada,
    view: view.id,
    values: { name: 'Guide', tags: ['a', 'c'], mode: 'b', day: '2026-01-31' },
    files: { files: [file('one.md'), file('two.pdf')] },
  });
  const frame = await link.next();
  link.acknowledge(frame);
  expect(await submitting).toEqual({ outcome: 'closed' });

  expect(frame).toMatchObject({
    type: 'interactive',
    payload: { type: 'view_submission', user: { id: ada } },
  });
  const sent = frame.payload?.['view'] as { state: { values: Record<string, object> } };
  expect(sent.state.values).toMatchObject({
    name: { name: { type: 'plain_text_input', value: 'Guide' } },
    note: { note: { value: 'as before' } },
    empty: { empty: { value: null } },
    agent: { agent: { type: 'static_select', selected_option: options[0] } },
    tags: { tags: { selected_options: [options[0], options[2]] } },
    mode: { mode: { selected_option: options[1] } },
    day: { day: { selected_date: '2026-01-31' } },
    files: {
      files: {
        type: 'file_input',
        files: [
          { name: 'one.md', filetype: 'markdown', size: 6, user: ada, mode: 'hosted' },
          { name: 'two.pdf', mimetype: 'application/pdf' },
        ],
      },
    },
  });
});

test('a modal refuses values that Slack’s client would not send', async () => {
  await using served = await openModal(
    modal('Add', [
      field('name', { type: 'plain_text_input', min_length: 3, max_length: 5 }),
      field('kind', { type: 'static_select', options: [option('a')] }),
      field('files', { type: 'file_input', max_files: 1, filetypes: ['md'] }),
    ]),
  );
  const { slack, ada, view } = served;
  const submit = (name: string, files: { name: string; bytes: Uint8Array }[]) =>
    slack.submit({ user: ada, view: view.id, values: { name, kind: 'a' }, files: { files } });
  expect(await slack.submit({ user: ada, view: view.id })).toEqual({
    outcome: 'errors',
    errors: {
      name: 'Please complete this required field.',
      kind: 'Please complete this required field.',
      files: 'Please complete this required field.',
    },
  });
  expect(await submit('ab', [file('a.md')])).toMatchObject({ errors: { name: /at least 3/ } });
  expect(await submit('abcdef', [file('a.md')])).toMatchObject({ errors: { name: /at most 5/ } });
  expect(await submit('abc', [file('a.md'), file('b.md')])).toMatchObject({
    errors: { files: 'Please choose at most 1 files.' },
  });
  expect(await submit('abc', [file('a.exe')])).toMatchObject({
    errors: { files: 'a.exe is not one of the allowed kinds: md.' },
  });
  expect(await submit('abc', [file('a.md', 10 * 1024 * 1024 + 1)])).toMatchObject({
    errors: { files: 'a.md is larger than 10 MB.' },
  });
  await expect(slack.submit({ user: ada, view: view.id, values: { kind: 'z' } })).rejects.toThrow(
    'has no option "z". Available: a',
  );
  expect(slack.modals(ada)).toHaveLength(1);
});

test('the acknowledgement of a modal can show errors, update it, push another, or close all', async () => {
  await using served = await openModal(modal('One'));
  const { slack, ada, link } = served;
  async function submit(answer: object) {
    const top = slack.modals(ada).at(-1);
    const submitting = slack.submit({ user: ada, view: top?.id ?? '' });
    link.acknowledge(await link.next(), answer);
    return submitting;
  }
  const titles = () => slack.modals(ada).map(({ title }) => title.text);

  expect(await submit({ response_action: 'errors', errors: { name: 'Taken.' } })).toEqual({
    outcome: 'errors',
    errors: { name: 'Taken.' },
  });
  expect(await submit({ response_action: 'update', view: modal('One, changed') })).toMatchObject({
    outcome: 'updated',
  });
  expect(await submit({ response_action: 'push', view: modal('Two') })).toMatchObject({
    outcome: 'pushed',
  });
  expect(titles()).toEqual(['One, changed', 'Two']);
  expect(await submit({ response_action: 'update', view: { type: 'modal' } })).toMatchObject({
    outcome: 'failed',
    reason: expect.stringContaining('missing required field: title'),
  });
  expect(await submit({ response_action: 'explode' })).toMatchObject({ outcome: 'failed' });
  expect(await submit({})).toEqual({ outcome: 'closed' });
  expect(titles()).toEqual(['One, changed']);
  await submit({ response_action: 'push', view: modal('Two') });
  await submit({ response_action: 'push', view: modal('Three') });
  expect(await submit({ response_action: 'push', view: modal('Four') })).toMatchObject({
    outcome: 'failed',
    reason: expect.stringContaining('push_limit_reached'),
  });
  expect(await submit({ response_action: 'clear' })).toEqual({ outcome: 'cleared' });
  expect(titles()).toEqual([]);
});

test('a modal stays open when the app does not acknowledge it', async () => {
  await using served = await openModal(modal('Add'));
  const { slack, ada, clock, link, view } = served;
  const submitting = slack.submit({ user: ada, view: view.id });
  await link.next();
  await clock.sleeping(3_000);
  clock.advance(3_000);
  expect(await submitting).toMatchObject({ outcome: 'failed' });
  expect(slack.modals(ada)).toHaveLength(1);
});

test('views.update refuses a hash that is not the current one', async () => {
  await using served = await openModal({ ...modal('Add'), external_id: 'add-form' });
  const { client, slack, ada, view } = served;
  const update = (args: object) => client.apiCall('views.update', { view: modal('New'), ...args });
  expect((await refusal(update({ view_id: view.id, hash: 'stale' }))).error).toBe('hash_conflict');
  expect((await refusal(update({ view_id: 'V000' }))).error).toBe('not_found');
  expect((await refusal(update({}))).error).toBe('invalid_arguments');
  await update({ external_id: 'add-form', hash: view.hash });
  expect(slack.modals(ada)[0]).toMatchObject({ id: view.id, title: { text: 'New' } });
  expect(slack.modals(ada)[0]?.hash).not.toBe(view.hash);
});

test('an app with notify_on_close learns that a modal was closed', async () => {
  await using served = await openModal({ ...modal('Add'), notify_on_close: true });
  const { slack, ada, link, view } = served;
  const closing = slack.close(view.id);
  const frame = await link.next();
  link.acknowledge(frame);
  await closing;
  expect(frame.payload).toMatchObject({
    type: 'view_closed',
    view: { id: view.id },
    is_cleared: false,
  });
  expect(slack.modals(ada)).toEqual([]);
  await expect(slack.close(view.id)).rejects.toThrow('no open modal');
});

test('a person cannot submit or press in another person’s modal', async () => {
  await using served = await openModal(modal('Add'));
  const { slack, grace, view } = served;
  await expect(slack.submit({ user: grace, view: view.id })).rejects.toThrow('no modal');
  await expect(slack.press({ user: grace, view: view.id, actionId: 'x' })).rejects.toThrow(
    'no modal',
  );
});

test('a choice in a modal is sent as block_actions', async () => {
  const options = [option('a'), option('b')];
  const element = { type: 'static_select', action_id: 'agent', options };
  await using served = await openModal(
    modal('Choose', [{ type: 'actions', block_id: 'choice', elements: [element] }]),
  );
  const { slack, ada, link, view } = served;
  const pressing = slack.press({ user: ada, view: view.id, actionId: 'agent', value: 'b' });
  const frame = await link.next();
  link.acknowledge(frame);
  expect(await pressing).toBe(true);
  expect(frame.payload).toMatchObject({
    type: 'block_actions',
    container: { type: 'view', view_id: view.id },
    view: { id: view.id },
    actions: [
      {
        type: 'static_select',
        action_id: 'agent',
        block_id: 'choice',
        selected_option: options[1],
      },
    ],
  });
});
