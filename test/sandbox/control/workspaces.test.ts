import { expect, test } from 'vitest';
import { openEvents, serveSandbox } from '../serve-sandbox.ts';
import { answerAuthorization, authorizationUrl } from '../slack/install-app.ts';

interface Workspace {
  id: string;
  name: string;
  installed: string;
}

/** Installs the app where a person allows it, as the app does that gets their code. */
async function install({ slack }: Awaited<ReturnType<typeof serveSandbox>>['sandbox'], id: string) {
  const { apiUrl, clientId: client_id, clientSecret: client_secret } = slack.credentials;
  const { location } = await answerAuthorization(authorizationUrl(slack), { place: id });
  const { searchParams, origin, pathname } = new URL(location);
  const code = searchParams.get('code') ?? '';
  const redirect_uri = origin + pathname;
  const body = new URLSearchParams({ client_id, client_secret, code, redirect_uri });
  await fetch(`${apiUrl}oauth.v2.access`, { method: 'POST', body });
}

test('a workspace is added, used, and told of by itself', async () => {
  await using served = await serveSandbox();
  const { sandbox, get, post, control } = served;
  const alone = await get('/overview');
  expect(alone.body['workspaces']).toMatchObject([{ id: sandbox.slack.team.id, installed: 'yes' }]);
  const added = await post('/slack/workspaces', { name: 'Acme', organisation: 'Big' });
  const { id } = added.body['workspace'] as Workspace;
  expect(added.body).toMatchObject({ workspace: { organisation: 'Big', installed: 'no' } });
  const { body } = await get(`/overview?slack=${id}`);
  const first = alone.body['slack'] as { people: { id: string }[] };
  const theirs = body['slack'] as { people: { id: string }[]; commands: { name: string }[] };
  expect(theirs.people).toHaveLength(first.people.length);
  expect(theirs.people[0]?.id).not.toBe(first.people[0]?.id);
  expect(theirs.commands.map(({ name }) => name)).toEqual(['invite']);

  await using events = await openEvents(control, `?slack=${id}`);
  const own = `/slack/workspaces/${id}`;
  await post('/slack/say', { user: 'ada', channel: '#help', text: 'elsewhere' });
  await post(`${own}/say`, { user: 'ada', channel: '#help', text: 'here' });
  expect(await events.next()).toMatchObject({
    platform: 'slack',
    kind: 'message',
    message: { author: { id: theirs.people[0]?.id }, parts: [{ text: 'here' }] },
  });
  const { body: listed } = await get(`${own}/messages?user=ada&channel=%23help`);
  expect(listed['messages']).toMatchObject([{ parts: [{ text: 'here' }] }]);
  const refused = await post(`${own}/say`, { user: 'nobody', channel: '#help', text: 'x' });
  expect(refused).toMatchObject({
    status: 400,
    body: { error: expect.stringContaining('nobody') },
  });
  expect(await get('/overview?slack=T0')).toMatchObject({ status: 404 });
});

test('the app is removed and its token revoked, one workspace at a time', async () => {
  await using served = await serveSandbox();
  const { sandbox, get, post } = served;
  const { slack } = sandbox;
  const { body } = await post('/slack/workspaces', { name: 'Acme' });
  const { id } = body['workspace'] as Workspace;
  const state = async () => {
    const { workspaces } = (await get('/overview')).body;
    return (workspaces as Workspace[]).map(({ installed }) => installed);
  };
  expect(await state()).toEqual(['yes', 'no']);
  await post('/slack/switches', { tokenLifetime: 3_600 });
  await install(sandbox, id);
  expect(await state()).toEqual(['yes', 'yes']);
  const acme = slack.workspaces()[1];
  const calls = () =>
    fetch(`${slack.credentials.apiUrl}auth.test?token=${acme?.credentials.botToken}`);
  await post(`/slack/workspaces/${id}/expire`, {});
  expect(await (await calls()).json()).toMatchObject({ error: 'token_expired' });
  await post(`/slack/workspaces/${id}/uninstall`, {});
  expect(await state()).toEqual(['yes', 'no']);
  await post('/slack/revoke', {});
  expect(await state()).toEqual(['no', 'no']);
  const shown = JSON.stringify((await get('/inspector')).body);
  expect(shown).toContain('oauth.v2.access');
  expect(shown).not.toMatch(/xox[be][.-]/);
  expect(shown).not.toContain(slack.credentials.clientSecret);
});

test('a channel is shared with another workspace, and an organisation’s workspace joins it', async () => {
  await using served = await serveSandbox();
  const { sandbox, post } = served;
  const { slack } = sandbox;
  const north = slack.addWorkspace('North', 'Big');
  await install(sandbox, north.team.enterprise?.id ?? '');
  const south = slack.addWorkspace('South', 'Big');
  await post('/slack/workspaces/access', { workspace: south.team.id, hasAccess: true });
  expect(south.installation()?.id).toBe(north.team.enterprise?.id);
  const wrong = { workspace: slack.team.id, hasAccess: true };
  expect(await post('/slack/workspaces/access', wrong)).toMatchObject({ status: 400 });

  const channel = slack.channels().find(({ name }) => name === 'help')?.id ?? '';
  expect(
    await post('/slack/workspaces/share', { channel, workspace: south.team.id }),
  ).toMatchObject({ status: 200 });
  const said = { user: 'grace', channel, text: 'hello from the south' };
  await post(`/slack/workspaces/${south.team.id}/say`, said);
  expect(slack.messages(channel)).toMatchObject([{ text: 'hello from the south' }]);
  expect(await post('/slack/workspaces/share', { channel, workspace: 'T0' })).toMatchObject({
    status: 400,
  });
});
