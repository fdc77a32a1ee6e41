import { expect, test } from 'vitest';
import { toReadableText, withoutMentions } from '../../../src/bridge/discord/incoming-message.ts';

const names = {
  user: (id: string) => ({ '1': 'Ada' })[id],
  role: (id: string) => ({ '2': 'Moderators' })[id],
  channel: (id: string) => ({ '3': 'general' })[id],
};

test.each([
  ['<@1> and <@!1>', '@Ada and @Ada'],
  ['<@&2> in <#3>', '@Moderators in #general'],
  ['<@9> <@&9> <#9>', '@someone @role #channel'],
  ['<:party:12> <a:wave:34>', ':party: :wave:'],
  ['</source url:99>', '/source url'],
  ['<t:1700000000:R>', '2023-11-14 22:13 UTC'],
  ['<t:999999999999:R>', '<t:999999999999:R>'],
  ['a < b > c <html> <@x>', 'a < b > c <html> <@x>'],
])('%s reads %s', (text, readable) => {
  expect(toReadableText(text, names)).toBe(readable);
});

test.each([
  ['<@7> hello', 'hello'],
  ['<@!7>, hello', 'hello'],
  ['hello <@7>', 'hello'],
  ['hello <@7> there', 'hello there'],
  ['<@&8>: <@7>', ''],
  ['<@77> hello', '<@77> hello'],
])('%s without the mention is %s', (text, rest) => {
  expect(withoutMentions(text, ['7', '8'])).toBe(rest);
});
