import { describe, expect, test } from 'vitest';
import * as discord from '../../../src/bridge/discord/message-text.ts';
import * as slack from '../../../src/bridge/slack/message-text.ts';

const named: Record<string, string> = { U1: 'Ada' };
const discordNames = {
  user: (id: string) => ({ '1': 'Ada' })[id],
  role: (id: string) => ({ '2': 'Moderators' })[id],
  channel: (id: string) => ({ '3': 'general' })[id],
};

describe.each([
  {
    platform: 'Slack',
    read: (text: string) => slack.toReadableText(text, (id) => named[id]),
    texts: [
      ['<@U1> and <@U2|bob> and <@U3>', '@Ada and @bob and @U3'],
      ['see <#C1|general>', 'see #general'],
      ['see <#C1>', 'see #C1'],
      ['<!here> <!channel> <!subteam^S1|@team>', '@here @channel @team'],
      ['<!date^1392734382^{date}|February 18>', 'February 18'],
      ['<https://x.example/?a=1&amp;b=2>', 'https://x.example/?a=1&b=2'],
      ['<http://x.example/|x.example>', 'http://x.example/'],
      ['<https://x.example/a|the docs>', 'the docs (https://x.example/a)'],
      ['<mailto:ada@x.example|ada@x.example>', 'ada@x.example'],
      ['a &lt;b&gt; &amp;amp; c', 'a <b> &amp; c'],
      ['1 < 2 and 3 > 2', '1 < 2 and 3 > 2'],
      ['&lt;@U1&gt;', '<@U1>'],
    ],
    withoutMention: (text: string) => slack.withoutMention(text, 'UBOT').text,
    mentions: [
      ['<@UBOT> what is this?', 'what is this?'],
      ['<@UBOT|causeway>: what is this?', 'what is this?'],
      ['<@UBOT>, hello', 'hello'],
      ['hey <@UBOT> what is <@U1> doing', 'hey what is <@U1> doing'],
      ['what is this <@UBOT>?', 'what is this?'],
      ['<@UBOT>', ''],
      ['<@UBOTHER> hello', '<@UBOTHER> hello'],
    ],
  },
  {
    platform: 'Discord',
    read: (text: string) => discord.toReadableText(text, discordNames),
    texts: [
      ['<@1> and <@!1>', '@Ada and @Ada'],
      ['<@&2> in <#3>', '@Moderators in #general'],
      ['<@9> <@&9> <#9>', '@someone @role #channel'],
      ['<:party:12> <a:wave:34>', ':party: :wave:'],
      ['</source url:99>', '/source url'],
      ['<t:1700000000:R>', '2023-11-14 22:13 UTC'],
      ['<t:999999999999:R>', '<t:999999999999:R>'],
      ['a < b > c <html> <@x>', 'a < b > c <html> <@x>'],
    ],
    withoutMention: (text: string) => discord.withoutMentions(text, ['7', '8']),
    mentions: [
      ['<@7> hello', 'hello'],
      ['<@!7>, hello', 'hello'],
      ['hello <@7>', 'hello'],
      ['hello <@7> there', 'hello there'],
      ['<@&8>: <@7>', ''],
      ['<@77> hello', '<@77> hello'],
    ],
  },
])('a text of $platform’s', ({ read, texts, withoutMention, mentions }) => {
  test.each(texts)('%s reads %s', (text, readable) => {
    expect(read(text)).toBe(readable);
  });

  test.each(mentions)('%s without the mention of the bot is “%s”', (text, rest) => {
    expect(withoutMention(text)).toBe(rest);
  });
});

test.each([
  ['<@UBOT> hello', true],
  ['<@UBOTHER> hello', false],
])('Slack’s “%s” mentions the bot: %s', (text, mentioned) => {
  expect(slack.withoutMention(text, 'UBOT')).toMatchObject({ mentioned });
});

test('each person that a text of Slack’s mentions is found once', () => {
  expect(slack.mentionedUsers('<@U1> <@W2|x> <@U1> <#C1>')).toEqual(['U1', 'W2']);
});
