import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { texts as english } from '../../src/bridge/texts/languages/en.ts';
import { textsFor } from '../../src/bridge/texts/texts.ts';
import { openBridge, platforms } from './scripted-bridge.ts';

describe.each(['Slack', 'Discord'] as const)('a thread in German on %s', (name) => {
  let bridge: Awaited<ReturnType<typeof openBridge>>;
  beforeAll(async () => {
    bridge = await openBridge(name);
    // What platforms allow a minute is shown elsewhere.
    platforms[name].faultsOf(bridge.sandbox).rateLimits = false;
    bridge.seat.setLocale('de');
  });
  afterAll(() => bridge[Symbol.asyncDispose]());

  it('is greeted back, whichever service answers questions', async () => {
    const thread = await bridge.seat.mention('Hi!');
    expect(await bridge.texts(thread, 1, /!/)).toEqual([textsFor('de').thread.greeting]);
    await bridge.seat.say(thread, 'help');
    expect(await bridge.texts(thread, 2, /zeigt alles/)).toHaveLength(2);
  });

  it('says why an answer broke off', async () => {
    const { thread, asked } = await bridge.begin();
    asked.die();
    expect(await bridge.texts(thread, 1, /⚠️/)).toEqual([
      'The first words\n\n⚠️ Die Antwort ist abgebrochen. Bitte frage noch einmal.',
    ]);
  });

  it('says that the service refuses the bot’s key', async () => {
    const { thread, asked } = await bridge.ask('Warum?');
    asked.refuse(401, '{"error":"bad key"}');
    const [said] = await bridge.texts(thread, 1, /⚠️/);
    expect(said).toMatch(/noch nicht fertig eingerichtet: .* wissen Bescheid/);
  });

  it('says why the model failed, below the text so far', async () => {
    const { thread, asked } = await bridge.begin();
    const end = `\n\n${english.problems.model_too_slow}`;
    asked.write(end);
    asked.store(`The first words${end}`, {
      finish_reason: '',
      error_message: end.trim(),
      meta_json: JSON.stringify({ error_code: 'model_too_slow' }),
    });
    asked.end();
    expect(await bridge.texts(thread, 1, /gebraucht/)).toEqual([
      'The first words\n\n⚠️ Das Modell hat zu lange für die Antwort gebraucht; bitte frage noch einmal.',
    ]);
  });

  it('quotes another service’s reason unchanged', async () => {
    const { thread, asked } = await bridge.begin();
    asked.write(' and my model is gone.');
    asked.store('The first words and my model is gone.', {
      error_message: 'my model is gone.',
      meta_json: JSON.stringify({ error_code: 'model_too_slow', error_params: 5 }),
    });
    asked.end();
    expect(await bridge.texts(thread, 1, /⚠️/)).toEqual([
      'The first words and\n\n⚠️ my model is gone.',
    ]);
  });
});

it('a thread in German on Slack sees that the bot is thinking', async () => {
  await using bridge = await openBridge('Slack');
  bridge.seat.setLocale('de');
  const { slack } = bridge.sandbox;
  const { thread, asked } = await bridge.ask('Warum?');
  const statuses = () => slack.channels().map(({ id }) => slack.status(id, thread));
  await expect.poll(statuses).toContain('denkt nach …');
  asked.write('Darum.');
  asked.end();
  await bridge.texts(thread, 1, /Darum/);
});
