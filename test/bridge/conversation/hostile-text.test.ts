import { test } from 'vitest';
import { closeMarkdown } from '../../../src/bridge/conversation/markdown/close-markdown.ts';
import { fenceTables } from '../../../src/bridge/conversation/markdown/fence-tables.ts';
import { hostToShow } from '../../../src/bridge/conversation/markdown/link-host.ts';
import { splitMarkdown } from './markdown/pieces.ts';
import {
  numberMarkers,
  renderPassages,
} from '../../../src/bridge/conversation/reply/reply-contents.ts';
import { expectLinear } from '../../fixtures/hostile/text.ts';

const limits = { fits: (markdown: string) => markdown.length <= 2_000 };
const toSource = (text: string) => ({ marker: '1.1', title: text, url: text, quote: text });

test.each<[string, (text: string) => unknown]>([
  ['numbering markers', (text) => numberMarkers(text)],
  ['numbering the markers that have a source', (text) => numberMarkers(text, new Set(['1.1']))],
  ['rendering cited passages', (text) => renderPassages([toSource(text)])],
  ['finding addresses in a link’s text', (text) => hostToShow(text, 'https://a.example')],
  ['closing Markdown', closeMarkdown],
  ['splitting Markdown', (text) => splitMarkdown(text, limits)],
  ['fencing a table’s cell', (text) => fenceTables(`| a |\n|---|\n| ${text} |`)],
])('%s takes time in proportion to the text', (_, scan) => {
  expectLinear(scan);
});
