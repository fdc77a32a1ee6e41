import { describe, expect, test } from 'vitest';
import type { DeliveryChange } from '../../../src/sandbox/slack/delivery.ts';
import { serveWorkspace } from '../../sandbox/slack/serve-workspace.ts';
import { type Mode, startSlack } from './start-slack.ts';

const modes: { mode: Mode }[] = [{ mode: 'socket' }, { mode: 'http' }];

describe.each(modes)('an event from Slack by $mode', ({ mode }) => {
  test('is acknowledged once it is stored, not before', async () => {
    await using served = await serveWorkspace();
    const { slack, ada, help } = served;
    const storing = Promise.withResolvers<void>();
    const stored = Promise.withResolvers<void>();
    const store = () => {
      storing.resolve();
      return stored.promise;
    };
    await using started = await startSlack(slack, mode, { store });
    const states: DeliveryChange['state'][] = [];
    const acknowledged = slack.deliveries.waitFor(({ state }) => {
      states.push(state);
      return state === 'acknowledged';
    });
    await slack.say({ user: ada, channel: help, text: 'Hello' });
    await storing.promise;
    expect(states).toEqual(['sent']);
    stored.resolve();
    await acknowledged;
    expect(states).toEqual(['sent', 'acknowledged']);
    expect(await started.next()).toMatchObject({ text: 'Hello' });
  });

  test('that could not be stored is delivered again', async () => {
    await using served = await serveWorkspace();
    const { slack, ada, help } = served;
    let tries = 0;
    const store = async () => {
      tries += 1;
      if (tries === 1) throw new Error('The disk is full.');
    };
    await using started = await startSlack(slack, mode, { store });
    const failed = slack.deliveries.waitFor(({ state }) => state === 'failed');
    await slack.say({ user: ada, channel: help, text: 'Hello' });
    await failed;
    expect(await started.next()).toMatchObject({ text: 'Hello' });
    expect(tries).toBe(2);
  });

  test('that is being stored ends before the platform has closed', async () => {
    await using served = await serveWorkspace();
    const { slack, ada, help } = served;
    const storing = Promise.withResolvers<void>();
    const stored = Promise.withResolvers<void>();
    const started = await startSlack(slack, mode, {
      store: () => {
        storing.resolve();
        return stored.promise;
      },
    });
    await slack.say({ user: ada, channel: help, text: 'Hello' });
    await storing.promise;
    const steps: string[] = [];
    const close = async () => {
      await started[Symbol.asyncDispose]();
      steps.push('closed');
    };
    const closed = close();
    await new Promise(setImmediate);
    steps.push('stored');
    stored.resolve();
    await closed;
    expect(steps).toEqual(['stored', 'closed']);
    expect(await started.next()).toMatchObject({ text: 'Hello' });
  });
});
