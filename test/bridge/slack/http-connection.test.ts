import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { patience } from '../../fixtures/patience.ts';
import { serveWorkspace } from '../../sandbox/slack/serve-workspace.ts';
import { startSlack } from './start-slack.ts';

test('only the first signed request is reported', async () => {
  await using served = await serveWorkspace();
  const { slack } = served;
  const told: string[] = [];
  await using started = await startSlack(slack, 'http', { onSigned: () => told.push('signed') });
  expect(told).toEqual(['signed']);
  await slack.setRequestUrl(started.eventsUrl);
  expect(told).toEqual(['signed']);
});

test('a rate limit of events is acknowledged at once', async () => {
  await using served = await serveWorkspace();
  const { slack } = served;
  await using started = await startSlack(slack, 'http');
  const minute = Math.floor(Date.now() / 60_000) * 60;
  const limited = { type: 'app_rate_limited', team_id: slack.team.id, minute_rate_limited: minute };
  const told = slack.deliveries.waitFor(({ state }) => state !== 'sent');
  slack.redeliver({ ...limited, token: 'XXYYZZ', api_app_id: 'A1' });
  expect(await told).toMatchObject({ state: 'acknowledged' });
  expect(started.log.lines).toContainEqual(expect.objectContaining({ level: 'warn' }));
});

test.each<[string, object]>([
  ['function_executed', { function: { id: 'Fn1' }, inputs: {}, function_execution_id: 'Fx1' }],
  ['something_new', { item: null, channel: null }],
  ['agent_session_stopped', {}],
])('an event of type %s is acknowledged at once', async (type, fields) => {
  await using served = await serveWorkspace();
  const { slack } = served;
  await using started = await startSlack(slack, 'http');
  const body = { type: 'event_callback', team_id: slack.team.id, event: { type, ...fields } };
  expect(await postSigned(started.eventsUrl, slack, JSON.stringify(body))).toBe(200);
});

const interaction = {
  team: { id: 'T1' },
  user: { id: 'U1', name: 'ada' },
  channel: { id: 'C1' },
  trigger_id: '1.2.3',
  response_url: 'http://127.0.0.1:1/answer',
};
const view = {
  id: 'V1',
  callback_id: 'causeway_remark',
  private_metadata: '{}',
  state: { values: { remark: { remark: { value: 'No.' } } } },
};
const actions = [{ action_id: 'causeway_reply_stop', value: 'x', type: 'button' }];
const interactions: Record<string, object> = {
  block_actions: { ...interaction, actions },
  command_button: {
    ...interaction,
    type: 'block_actions',
    actions: [{ action_id: 'causeway_command_a', value: 'x' }],
  },
  block_suggestion: { ...interaction, action_id: 'a', value: '', view },
  view_submission: { ...interaction, view },
  command_form: {
    ...interaction,
    type: 'view_submission',
    view: { ...view, callback_id: 'causeway_command' },
  },
  message_action: { ...interaction, callback_id: 'causeway_a', message: { text: 'Hello' } },
  shortcut: { ...interaction, callback_id: 'causeway_a' },
};

/** The body without each of its fields, at any depth, and with null for each. */
function* incomplete(body: unknown): Generator {
  if (typeof body !== 'object' || body === null) return;
  for (const [name, value] of Object.entries(body)) {
    const { [name]: _, ...rest } = body as Record<string, unknown>;
    const wrap = (field: unknown) => (Array.isArray(body) ? [field] : { ...rest, [name]: field });
    yield Array.isArray(body) ? [] : rest;
    yield wrap(null);
    for (const field of incomplete(value)) yield wrap(field);
  }
}

test.each(Object.entries(interactions))(
  'an incomplete %s is no error of ours',
  async (type, body) => {
    await using served = await serveWorkspace();
    const { slack } = served;
    await using started = await startSlack(slack, 'http');
    const statuses = new Set<number>();
    let count = 0;
    for (const some of incomplete({ type, ...body })) {
      // What repeats an interaction is dropped.
      const payload = JSON.stringify(some).replace('"1.2.3"', `"${(count += 1)}"`);
      const form = String(new URLSearchParams({ payload }));
      statuses.add(await postSigned(started.eventsUrl, slack, form));
    }
    expect([...statuses.difference(new Set([200, 400]))]).toEqual([]);
    expect(statuses).toContain(200);
    expect(started.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
  },
);

async function postSigned(
  url: string,
  { credentials }: { credentials: { signingSecret: string } },
  body: string,
): Promise<number> {
  const time = Math.floor(Date.now() / 1000);
  const hash = createHmac('sha256', credentials.signingSecret).update(`v0:${time}:${body}`);
  const isJson = body.startsWith('{');
  const headers = {
    'content-type': isJson ? 'application/json' : 'application/x-www-form-urlencoded',
    'x-slack-request-timestamp': String(time),
    'x-slack-signature': `v0=${hash.digest('hex')}`,
  };
  const signal = AbortSignal.timeout(patience.timeout);
  return (await fetch(url, { method: 'POST', headers, body, signal })).status;
}

test('a request that nobody signed is not reported', async () => {
  await using served = await serveWorkspace();
  const told: string[] = [];
  const { signingSecret } = served.slack.credentials;
  await using started = await startSlack(served.slack, 'http', {
    signingSecret: `not ${signingSecret}`,
    onSigned: () => told.push('signed'),
    isVerified: false,
  });
  const post = async (type: string, body: string) => {
    const headers = { 'content-type': type };
    return (await fetch(started.eventsUrl, { method: 'POST', headers, body })).status;
  };
  expect(await post('application/x-www-form-urlencoded', 'ssl_check=1')).toBe(200);
  expect(await post('application/json', '{"type":"url_verification"}')).toBe(401);
  await expect(served.slack.setRequestUrl(started.eventsUrl)).rejects.toThrow('http_error');
  expect(told).toEqual([]);
});
