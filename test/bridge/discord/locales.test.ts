import { expect, test } from 'vitest';
import { openStore } from '../../../src/bridge/stores/open-store.ts';
import { openServer } from './open-server.ts';

test('a message has the language of its author’s last interaction, else the server’s', async () => {
  await using store = await openStore('memory:');
  await using server = await openServer();
  const { discord, mention, channel } = server;
  const { core, heard } = await server.connect({ locales: store.keyv<string>('discord-locale') });
  const say = (user: string, text: string) =>
    discord.say({ user, channel: channel('general'), content: `${mention} ${text}` });

  await say('konrad', 'Wann?');
  const first = await heard('Wann?');
  expect(first.author.locale).toBe('en-US');
  const sent = await first.thread.post({
    markdown: 'Um neun.',
    buttons: [{ action: 'stop', label: 'Stopp', turn: 't1' }],
  });
  discord.press({ user: 'konrad', message: sent.id, customId: 'causeway:stop:t1' });
  expect(await core.presses.next()).toMatchObject({ by: { locale: 'de' } });

  await say('konrad', 'Und wo?');
  expect((await heard('Und wo?')).author.locale).toBe('de');
  await say('ada', 'Where?');
  expect((await heard('Where?')).author.locale).toBe('en-US');
});
