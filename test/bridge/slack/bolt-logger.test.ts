import { expect, test } from 'vitest';
import { createBoltLogger } from '../../../src/bridge/slack/clients.ts';
import { createMemoryLog } from '../../fixtures/memory-log.ts';

test('Bolt’s lines keep their level and lose their secrets', () => {
  const log = createMemoryLog();
  const logger = createBoltLogger(log);
  const circle: { self?: object } = {};
  circle.self = circle;
  logger.info('token', 'xoxb-12-34-abc', { url: 'wss://w.slack.com/link?ticket=abc&app_id=A1' });
  logger.info({ token: 'v', response_url: 'https://hooks.slack.com/commands/T/1/x', text: 'hi' });
  logger.info({ view: JSON.stringify({ responseUrl: 'https://hooks.slack.com/x', a: 1 }) });
  logger.warn('xapp-1-A1-2-abc', undefined, new TypeError('no'));
  logger.error(circle);
  expect(log.lines.map(({ level, message }) => [level, message])).toEqual([
    ['info', 'token [secret] {"url":"wss://w.slack.com/link?ticket=[secret]&app_id=A1"}'],
    ['info', '{"token":"[secret]","response_url":"[secret]","text":"hi"}'],
    ['info', '{"view":"{\\"responseUrl\\":\\"[secret]\\",\\"a\\":1}"}'],
    ['warn', '[secret] undefined TypeError: no'],
    ['error', '[object Object]'],
  ]);
});

test('debug lines end where they quote what was sent', () => {
  const log = createMemoryLog();
  const logger = createBoltLogger(log);
  logger.debug('http request body: {"channel":"C1","text":"what people say"}');
  logger.debug('payload', [{ text: 'what people say' }], 'more');
  logger.debug('token xoxb-1 refreshed');
  expect(log.lines.map(({ message }) => message)).toEqual([
    'http request body: …',
    'payload …',
    'token [secret] refreshed',
  ]);
});

test('a secret at the cut does not show its head', () => {
  const log = createMemoryLog();
  createBoltLogger(log).debug(`${'x '.repeat(995)}xoxb-${'1'.repeat(100)}`);
  expect(log.lines[0]?.message).not.toContain('xoxb');
  expect(log.lines[0]?.message.length).toBeLessThanOrEqual(2_000);
});

test('lines below the log’s level are not rendered', () => {
  const log = createMemoryLog();
  const logger = createBoltLogger({ ...log, isLevelEnabled: (level) => level !== 'debug' });
  const rendered: string[] = [];
  const part = (name: string) => ({ toJSON: () => rendered.push(name) });
  logger.debug(part('unwritten'));
  logger.info(part('written'));
  expect(rendered).toEqual(['written']);
  expect(log.lines).toHaveLength(1);
});
