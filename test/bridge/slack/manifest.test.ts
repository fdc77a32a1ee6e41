import { expect, test } from 'vitest';
import { english } from '../../../src/bridge/texts/texts.ts';
import { renderManifest } from '../../../src/bridge/slack/manifest.ts';
import { exampleRunner } from './example-commands.ts';

const says = english.descriptions;
const declared = exampleRunner(
  async function* () {
    yield* [];
  },
  { prefix: 'kb-', slackShort: true },
);

test('the manifest has the commands of the list, and the app’s events and scopes', () => {
  const manifest = JSON.parse(renderManifest(declared, { mode: 'socket' })) as unknown;
  expect(manifest).toMatchObject({
    features: {
      agent_view: { agent_description: 'Answers from what you taught it, in threads' },
      app_home: { messages_tab_enabled: true, messages_tab_read_only_enabled: false },
      slash_commands: [
        {
          command: '/causeway',
          description: 'Answers from what you taught it, in threads',
          usage_hint: 'ask | source',
          should_escape: true,
        },
        { command: '/kb-ask', description: says.ask, usage_hint: '<question>' },
        { command: '/kb-source', description: says.source, should_escape: true },
      ],
    },
    oauth_config: {
      scopes: {
        bot: [
          'app_mentions:read',
          'assistant:write',
          'channels:history',
          'channels:read',
          'chat:write',
          'commands',
          'files:read',
          'files:write',
          'groups:history',
          'groups:read',
          'im:history',
          'mpim:history',
          'usergroups:read',
          'users:read',
        ],
      },
    },
    settings: {
      event_subscriptions: {
        bot_events: [
          'agent_session_stopped',
          'app_mention',
          'message.channels',
          'message.groups',
          'message.im',
          'message.mpim',
        ],
      },
      interactivity: { is_enabled: true },
      socket_mode_enabled: true,
    },
  });
  expect(JSON.stringify(manifest)).not.toContain('url"');
});

test('with HTTP it contains the app’s URL', () => {
  const options = { mode: 'http', origin: 'https://bot.example' } as const;
  const manifest = JSON.parse(renderManifest(declared, options)) as unknown;
  const url = 'https://bot.example/slack/events';
  expect(manifest).toMatchObject({
    features: { slash_commands: [{ url }, { url }, { url }] },
    settings: {
      event_subscriptions: { request_url: url },
      interactivity: { request_url: url, message_menu_options_url: url },
      socket_mode_enabled: false,
    },
  });
});
