import { describe, expect, it } from 'vitest';
import { openBridge } from './scripted-bridge.ts';

describe.each(['Slack', 'Discord'] as const)('a thread in German on %s', (name) => {
  it('says why an answer broke off', async () => {
    await using bridge = await openBridge(name);
    bridge.seat.setLocale('de');
    const { thread, asked } = await bridge.begin();
    asked.die();
    expect(await bridge.texts(thread, 1, /⚠️/)).toEqual([
      'The first words\n\n⚠️ Die Antwort ist abgebrochen. Bitte frage noch einmal.',
    ]);
  });

  it('says that the service refuses the bot’s key', async () => {
    await using bridge = await openBridge(name);
    bridge.seat.setLocale('de');
    const { thread, asked } = await bridge.ask('Warum?');
    asked.refuse(401, '{"error":"bad key"}');
    const [said] = await bridge.texts(thread, 1, /⚠️/);
    expect(said).toMatch(/Schlüssel.*CHATBOT_API_KEY/);
  });
});
