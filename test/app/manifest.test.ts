import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createManifest } from '../../src/app/manifest.ts';
import { scopesFor } from '../../src/bridge/slack/manifest.ts';
import { commandNames } from '../fixtures/command-names.ts';

describe('createManifest', () => {
  const manifest = JSON.parse(createManifest(commandNames()));

  it('has the scopes and events that docs/connect-slack.md lists', () => {
    const page = readFileSync('docs/connect-slack.md', 'utf8');
    const [, paragraph = ''] = /^Bot scopes: ([^]*?)\n\n/m.exec(page) ?? [];
    const [scopes = '', events = ''] = paragraph.split('Events:');
    const names = (text: string) =>
      [...text.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? '').toSorted();
    expect(names(scopes)).toEqual(manifest.oauth_config.scopes.bot.toSorted());
    expect(names(events)).toEqual(manifest.settings.event_subscriptions.bot_events.toSorted());
  });

  it('receives events over HTTP when it is given an address', () => {
    const http = JSON.parse(
      createManifest(commandNames({ slack: 'kb' }), { origin: 'https://example.com' }),
    );
    expect(http.settings.socket_mode_enabled).toBe(false);
    expect(http.settings.event_subscriptions.request_url).toBe('https://example.com/slack/events');
    expect(http.features.slash_commands[0].command).toBe('/kb');
  });

  it('lets many workspaces install the app, with tokens that are renewed', () => {
    const origin = 'https://example.com';
    expect(manifest.oauth_config).not.toHaveProperty('redirect_urls');
    expect(manifest.settings).toMatchObject({
      org_deploy_enabled: false,
      token_rotation_enabled: false,
    });
    const many = JSON.parse(createManifest(commandNames(), { origin, many: true }));
    expect(many.oauth_config.redirect_urls).toEqual(['https://example.com/slack/oauth_redirect']);
    expect(many.settings).toMatchObject({
      socket_mode_enabled: false,
      org_deploy_enabled: true,
      token_rotation_enabled: true,
    });
    const { bot_events: events } = many.settings.event_subscriptions;
    expect(events).toEqual(expect.arrayContaining(['app_uninstalled', 'tokens_revoked']));
    const socket = JSON.parse(createManifest(commandNames(), { origin, many: true, socket: true }));
    expect(socket.oauth_config).toEqual(many.oauth_config);
    expect(socket.settings.socket_mode_enabled).toBe(true);
    expect(socket.settings.event_subscriptions).not.toHaveProperty('request_url');
  });

  it('reads no history for a review, and so takes no direct messages', () => {
    const reduced = JSON.parse(createManifest(commandNames(), { history: false }));
    expect(reduced.oauth_config.scopes.bot).toEqual(
      manifest.oauth_config.scopes.bot.filter(
        (scope: string) => !scope.endsWith(':history') && scope !== 'assistant:write',
      ),
    );
    // Whoever installs the app is asked for the same.
    expect(scopesFor({ history: false })).toEqual(reduced.oauth_config.scopes.bot);
    expect(reduced.settings.event_subscriptions.bot_events).toEqual(['app_mention']);
    expect(reduced.features).not.toHaveProperty('agent_view');
    expect(reduced.features.app_home.messages_tab_read_only_enabled).toBe(true);
  });
});

describe('printing the manifest', () => {
  const reached = importsOf('src/app/manifest.ts');

  it('reads the declarations of commands without importing their code', () => {
    expect(reached).toContain('src/bridge/commands/source/source.ts');
    const folders = new Set([...reached].map((file) => file.split('/').slice(0, 3).join('/')));
    for (const folder of [
      'src/bridge/chatbot',
      'src/shared/stores',
      'src/service',
      'src/bridge/commands/runner',
    ]) {
      expect([...folders].filter((each) => each.startsWith(folder))).toEqual([]);
    }
  });

  it('imports no platform library, store or network code', () => {
    const library = /^(?:@slack|discord|undici|keyv|node:(?:http|https|net|sqlite)$)/;
    expect([...reached].filter((name) => library.test(name))).toEqual([]);
    expect(reached).toContain('zod');
  });
});

/** The modules that importing a file loads, by path or by name of the package. */
function importsOf(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file)) return found;
  found.add(file);
  const text = readFileSync(file, 'utf8');
  for (const [, from = ''] of text.matchAll(
    /^(?:import|export) (?!type )[^']*?from '([^']+)';/gm,
  )) {
    if (from.startsWith('.')) importsOf(join(dirname(file), from), found);
    else found.add(from);
  }
  return found;
}
