import { test } from 'vitest';
import { parseCommandText } from '../../../src/bridge/slack/mention-commands.ts';
import { renderMessage } from '../../../src/bridge/slack/message.ts';
import {
  mentionedUsers,
  toReadableText,
  withoutMention,
} from '../../../src/bridge/slack/incoming-message.ts';
import { renderStream, streamStart } from '../../../src/bridge/slack/streams.ts';
import { expectLinear } from '../../fixtures/hostile/text.ts';
import { ask, source } from './example-commands.ts';

test.each<[string, (text: string) => unknown]>([
  ['rendering a message', (text) => renderMessage({ markdown: text, footer: text })],
  ['rendering the start of a stream', (text) => renderStream(streamStart, text)],
  ['rendering a stream', (text) => renderStream(streamStart, text, { ended: true })],
  ['reading a message', (text) => toReadableText(text, () => undefined)],
  ['finding who is mentioned', mentionedUsers],
  ['reading a command', (text) => parseCommandText(source, `qa ${text}`)],
  ['reading a command with one option', (text) => parseCommandText(ask, text)],
  ['removing a mention', (text) => withoutMention(text, 'U1')],
])('%s takes time in proportion to the text', (_, scan) => {
  expectLinear(scan);
});
