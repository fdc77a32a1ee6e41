import { describe, expect, it, test } from 'vitest';
import { beginInOrder, createQueue } from '../../../src/shared/primitives/queue.ts';

describe('createQueue', () => {
  it('runs tasks of a key one after another, in order', async () => {
    const queue = createQueue();
    const events: string[] = [];
    const gate = Promise.withResolvers<void>();
    const first = queue.run('a', async () => {
      events.push('first begins');
      await gate.promise;
      events.push('first ends');
    });
    const second = queue.run('a', async () => void events.push('second'));
    await queue.run('b', async () => void events.push('another key'));
    expect(queue.length('a')).toBe(2);
    gate.resolve();
    await Promise.all([first, second]);
    expect(events).toEqual(['first begins', 'another key', 'first ends', 'second']);
    expect(queue.length('a')).toBe(0);
  });

  it('fails no later task for an earlier one', async () => {
    const queue = createQueue();
    const failing = queue.run('a', () => Promise.reject(new Error('no')));
    let ran = false;
    const next = queue.run('a', async () => void (ran = true));
    await expect(failing).rejects.toThrow('no');
    await next;
    expect(ran).toBe(true);
  });

  it('is idle only when tasks that came while it waited have ended too', async () => {
    const queue = createQueue();
    const gate = Promise.withResolvers<void>();
    let idle = false;
    void queue.run('a', () => gate.promise);
    const waiting = queue.idle().then(() => (idle = true));
    const late = queue.run('a', async () => expect(idle).toBe(false));
    gate.resolve();
    await late;
    await waiting;
    expect(idle).toBe(true);
  });
});

test('prepared tasks start in order, and don’t block each other', async () => {
  const queue = createQueue();
  const events: string[] = [];
  const slowToPrepare = Promise.withResolvers<void>();
  const slowToDo = Promise.withResolvers<void>();
  const first = beginInOrder(queue, 'a', async () => {
    await slowToPrepare.promise;
    return async () => {
      events.push('first begins');
      await slowToDo.promise;
      events.push('first ends');
    };
  });
  const second = beginInOrder(queue, 'a', async () => async () => void events.push('second'));
  const nothing = beginInOrder(queue, 'a', async () => () => undefined);
  slowToPrepare.resolve();
  await Promise.all([second, nothing]);
  expect(events).toEqual(['first begins', 'second']);
  slowToDo.resolve();
  await first;
  expect(events).toEqual(['first begins', 'second', 'first ends']);
});
