import { describe, test } from 'vitest';
import * as discord from '../../../src/bridge/discord/message-text.ts';
import { renderMarkdown, renderSmallPrint } from '../../../src/bridge/discord/render.ts';
import * as slack from '../../../src/bridge/slack/message-text.ts';
import { parseCommandText } from '../../../src/bridge/slack/mention-commands.ts';
import { renderMessage } from '../../../src/bridge/slack/message.ts';
import { renderStream, streamStart } from '../../../src/bridge/slack/streams.ts';
import { expectLinear } from '../../fixtures/hostile/text.ts';
import { ask, source } from '../slack/example-commands.ts';

type Scan = [what: string, scan: (text: string) => unknown];

const names = { user: () => 'Ada', role: () => 'team', channel: () => 'general' };

const scans: Record<string, Scan[]> = {
  Slack: [
    ['rendering a message', (text) => renderMessage({ markdown: text, footer: text })],
    ['rendering the start of a stream', (text) => renderStream(streamStart, text)],
    ['rendering a stream', (text) => renderStream(streamStart, text, { ended: true })],
    ['reading a message', (text) => slack.toReadableText(text, () => undefined)],
    ['finding who is mentioned', slack.mentionedUsers],
    ['reading a command', (text) => parseCommandText(source, `qa ${text}`)],
    ['reading a command with one option', (text) => parseCommandText(ask, text)],
    ['removing a mention', (text) => slack.withoutMention(text, 'U1')],
  ],
  Discord: [
    ['rendering Markdown', renderMarkdown],
    ['rendering small print', renderSmallPrint],
    ['reading a message', (text) => discord.toReadableText(text, names)],
    ['removing mentions', (text) => discord.withoutMentions(text, ['1', '2'])],
  ],
};

describe.each(Object.entries(scans))('%s', (_platform, all) => {
  test.each(all)('%s takes time in proportion to the text', (_what, scan) => {
    expectLinear(scan);
  });
});
