import { expect, test } from 'vitest';
import { plainText } from '../../../src/sandbox/slack/plain-text.ts';
import { parseCommandText } from '../../../src/bridge/slack/mention-commands.ts';
import { namingCommand } from '../../fixtures/naming-command.ts';
import { createPlainRunner } from '../../fixtures/plain-runner.ts';
import { runAction } from '../../fixtures/run-action.ts';
import { serveWorkspace } from '../../sandbox/slack/serve-workspace.ts';
import { createInbox } from '../../fixtures/inbox.ts';
import { startSlack } from './start-slack.ts';

const ids = { channel: 'C012', person: 'U034', group: 'S056' };

function parse(text: string) {
  const parsed = parseCommandText(namingCommand, text);
  return parsed.kind === 'usage' ? parsed.problem : parsed.values;
}

test('channels, people and groups are identified by id, whatever their name', () => {
  expect(parse('<#C012|general> <@U034|ada> <!subteam^S056|@support>')).toEqual(ids);
  expect(parse('--person <@U034> --group "<!subteam^S056>" <#C012>')).toEqual(ids);
  expect(parse('#general @ada @support')).toEqual({
    channel: '#general',
    person: '@ada',
    group: '@support',
  });
  expect(parse('C012 U034 S056')).toEqual(ids);
});

test('other options get their names', () => {
  expect(parse('C012 U034 S056 --off="<@U1|ada>, <#C1|general> &amp; <!subteam^S1|@all>"')).toEqual(
    {
      ...ids,
      off: '@ada, #general & @all',
    },
  );
  expect(parse('--what <@U1|ada>')).toEqual({ code: 'no_option', params: { name: 'what' } });
});

test('a yes-or-no option is yes by its name alone', () => {
  expect(parse('--off C012 U034 S056')).toEqual({ ...ids, off: 'yes' });
  expect(parse('C012 --off U034 S056')).toEqual({ ...ids, off: 'yes' });
  expect(parse('C012 U034 S056 --off')).toEqual({ ...ids, off: 'yes' });
  expect(parse('--off --channel C012')).toEqual({ channel: 'C012', off: 'yes' });
  expect(parse('off')).toEqual({ off: 'yes' });
});

test('a yes-or-no option takes the word after it only if that is a yes or no, or attached', () => {
  expect(parse('--off no C012 U034 S056')).toEqual({ ...ids, off: 'no' });
  expect(parse('C012 --off "nein" U034 S056')).toEqual({ ...ids, off: 'nein' });
  expect(parse('--off=maybe C012 U034 S056')).toEqual({ ...ids, off: 'maybe' });
  expect(parse('off:maybe C012 U034 S056')).toEqual({ ...ids, off: 'maybe' });
});

test('what is chosen in a form comes with its ids and has names', async () => {
  await using served = await serveWorkspace();
  const { slack, ada, grace, help } = served;
  const group = slack.saveUserGroup({ handle: 'editors', users: [grace] }).id;
  const heard = createInbox<object>();
  await using _ = await startSlack(slack, 'socket', {
    commands: createPlainRunner({
      commands: [namingCommand],
      async *run({ context, values }) {
        heard.put(values);
        const { action } = namingCommand as { action: Parameters<typeof runAction>[0] };
        yield* runAction(action, context, values);
      },
      complete: async ({ context }) =>
        (await context.names.groups()).map(({ id, name }) => ({ label: name, value: id, name })),
    }),
  });
  const seen = () => slack.ephemerals(ada, help).map((message) => plainText(message));
  const done = () => seen().includes('You named #help, Grace Hopper, @editors.');
  const shown = slack.waitFor(done);
  const opened = slack.waitFor((change) => change.kind === 'modal' && change.views.length > 0);
  await slack.command({ user: ada, channel: help, command: '/name', text: '' });
  await opened;
  const view = slack.modals(ada)[0];
  expect(view?.blocks.map((block) => (block['element'] as { type: string }).type)).toEqual([
    'conversations_select',
    'users_select',
    'external_select',
    'static_select',
  ]);
  const chosen = { user: ada, view: view?.id ?? '' };
  await slack.suggest({ ...chosen, actionId: 'group', typed: '' });
  await slack.submit({ ...chosen, values: { channel: help, person: grace, group } });
  expect(await heard.next()).toEqual({ channel: help, person: grace, group });
  await shown;
});
