import { expect, test } from 'vitest';
import { openStore } from '../../../src/bridge/stores/open-store.ts';
import { openServer } from './open-server.ts';

test('a message has the language of its author’s last interaction, else of its words or the server', async () => {
  await using store = await openStore('memory:');
  await using server = await openServer();
  const { discord, mention, channel } = server;
  const { core, heard } = await server.connect({ locales: store.keyv<string>('discord-locale') });
  const say = (user: string, text: string) =>
    discord.say({ user, channel: channel('general'), content: `${mention} ${text}` });

  await say('konrad', 'Café?');
  const first = await heard('Café?');
  expect(first.author.locale).toBe('en-US');
  await say('konrad', 'Wann öffnet das Café?');
  expect((await heard('Wann öffnet das Café?')).author.locale).toBe('de');
  const sent = await first.thread.post({
    markdown: 'Um neun.',
    buttons: [{ action: 'stop', label: 'Stopp', turn: 't1' }],
  });
  discord.press({ user: 'konrad', message: sent.id, customId: 'causeway:stop:t1' });
  expect(await core.presses.next()).toMatchObject({ by: { locale: 'de' } });

  await say('konrad', 'Und wo?');
  expect((await heard('Und wo?')).author.locale).toBe('de');
  await say('konrad', 'When does it open?');
  expect((await heard('When does it open?')).author.locale).toBe('de');
});

test('a server’s chosen language comes before that of the words', async () => {
  await using server = await openServer();
  const { discord, mention, channel } = server;
  const { heard } = await server.connect();
  discord.setLocale('de');
  const content = `${mention} When does it open?`;
  await discord.say({ user: 'ada', channel: channel('general'), content });
  expect((await heard('When does it open?')).author.locale).toBe('de');
});
