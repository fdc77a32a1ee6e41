import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createManifest } from '../../src/app/manifest.ts';

describe('createManifest', () => {
  const manifest = JSON.parse(createManifest(''));

  it('names the scopes and events that the README names', () => {
    const readme = readFileSync('README.md', 'utf8');
    const [, paragraph = ''] = /^Bot scopes: ([^]*?)\n\n/m.exec(readme) ?? [];
    const [scopes = '', events = ''] = paragraph.split('Events:');
    const names = (text: string) =>
      [...text.matchAll(/`([^`]+)`/g)].map((match) => match[1]).toSorted();
    expect(names(scopes)).toEqual(manifest.oauth_config.scopes.bot.toSorted());
    expect(names(events)).toEqual(manifest.settings.event_subscriptions.bot_events.toSorted());
  });

  it('takes events over HTTP where it is told an address', () => {
    const http = JSON.parse(createManifest('kb-', 'https://example.com'));
    expect(http.settings.socket_mode_enabled).toBe(false);
    expect(http.settings.event_subscriptions.request_url).toBe('https://example.com/slack/events');
    expect(http.features.slash_commands[0].command).toMatch(/^\/kb-/);
  });
});
