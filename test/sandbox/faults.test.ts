import { expect, test } from 'vitest';
import { createFaults } from '../../src/sandbox/faults.ts';

test('a fault applies as often as it says, to its method alone, in the order of injection', () => {
  const faults = createFaults();
  faults.inject({ method: 'chat.update', times: 2, error: 'fatal_error' });
  faults.inject({ method: 'chat.update', times: 1, status: 502 });
  expect(faults.take('chat.postMessage')).toBeUndefined();
  expect(faults.take('chat.update')?.error).toBe('fatal_error');
  expect(faults.take('chat.update')?.error).toBe('fatal_error');
  expect(faults.take('chat.update')?.status).toBe(502);
  expect(faults.take('chat.update')).toBeUndefined();
});

test('a fault is copied when it is injected, so it can be injected twice', () => {
  const faults = createFaults();
  const fault = { method: 'chat.update', times: 1 };
  faults.inject(fault);
  faults.inject(fault);
  expect(faults.take('chat.update')).toBeDefined();
  expect(faults.take('chat.update')).toBeDefined();
});

test('clearing removes faults, latency and lifted limits', () => {
  const faults = createFaults();
  faults.inject({ method: 'chat.update', times: 5 });
  faults.latency = 400;
  faults.rateLimits = false;
  faults.clear();
  expect(faults.take('chat.update')).toBeUndefined();
  expect(faults).toMatchObject({ latency: 0, rateLimits: true });
});

test('at most a thousand faults can wait', () => {
  const faults = createFaults();
  const inject = () => {
    for (let count = 0; count < 1_001; count += 1) faults.inject({ method: 'x', times: 1 });
  };
  expect(inject).toThrow('Clear them first');
});
