import { test } from 'vitest';
import { renderMarkdown, renderSmallPrint } from '../../../src/bridge/discord/render.ts';
import { toReadableText, withoutMentions } from '../../../src/bridge/discord/incoming-message.ts';
import { expectLinear } from '../../fixtures/hostile/text.ts';

const names = { user: () => 'Ada', role: () => 'team', channel: () => 'general' };

test.each<[string, (text: string) => unknown]>([
  ['rendering Markdown', renderMarkdown],
  ['rendering small print', renderSmallPrint],
  ['reading a message', (text) => toReadableText(text, names)],
  ['removing mentions', (text) => withoutMentions(text, ['1', '2'])],
])('%s takes time in proportion to the text', (_, scan) => {
  expectLinear(scan);
});
