import { describe, expect, test } from 'vitest';
import {
  mentionedUsers,
  toReadableText,
  withoutMention,
} from '../../../src/bridge/slack/incoming-message.ts';

const names: Record<string, string> = { U1: 'Ada' };
const read = (text: string) => toReadableText(text, (id) => names[id]);

describe('a text of Slack’s', () => {
  test.each([
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
  ])('%s reads %s', (text, expected) => {
    expect(read(text)).toBe(expected);
  });

  test('names each person it mentions once', () => {
    expect(mentionedUsers('<@U1> <@W2|x> <@U1> <#C1>')).toEqual(['U1', 'W2']);
  });
});

describe('the mention of the bot', () => {
  test.each([
    ['<@UBOT> what is this?', 'what is this?'],
    ['<@UBOT|causeway>: what is this?', 'what is this?'],
    ['<@UBOT>, hello', 'hello'],
    ['hey <@UBOT> what is <@U1> doing', 'hey what is <@U1> doing'],
    ['what is this <@UBOT>?', 'what is this?'],
    ['<@UBOT>', ''],
  ])('goes from %s', (text, expected) => {
    expect(withoutMention(text, 'UBOT')).toEqual({ text: expected, mentioned: true });
  });

  test('is not found where another person is mentioned', () => {
    const text = '<@UBOTHER> hello';
    expect(withoutMention(text, 'UBOT')).toEqual({ text, mentioned: false });
  });
});
