import { Parser } from 'htmlparser2';
import type { Draft } from '../document.ts';
import { createOutline } from './headings.ts';
import { createHtmlPage, type PagePart } from './html-page.ts';
import type { Region } from './html-regions.ts';
import { cutEndless } from './text.ts';

const minMainLength = 200;

/**
 * Parses an HTML page: its main content (`main`, `article`) if marked; otherwise everything except
 * navigation, header, footer and hidden elements.
 * @throws {IngestionError} when its elements are nested too deeply
 */
export function fromHtml(html: string): Draft {
  const page = createHtmlPage();
  const parser = new Parser({
    onopentag: page.open,
    onclosetag: page.close,
    ontext: page.text,
  });
  parser.write(html);
  parser.end();

  const outline = createOutline();
  for (const { level, text } of toContent(page.parts())) {
    if (level > 0) outline.heading(level, text);
    else if (text.startsWith('```')) outline.block(text);
    else for (const piece of cutEndless(text)) outline.block(piece);
  }
  return outline.draft(page.title());
}

function toContent(parts: PagePart[]): PagePart[] {
  const lengthIn = (region: Region): number =>
    parts.reduce((sum, part) => sum + (part.region === region ? part.text.length : 0), 0);
  if (lengthIn('main') >= Math.max(minMainLength, lengthIn('body') / 4)) {
    return parts.filter((part) => part.region === 'main');
  }
  const content = parts.filter((part) => part.region !== 'around' && !isLinkList(part));
  return content.some((part) => part.level === 0) ? content : parts;
}

function isLinkList(part: PagePart): boolean {
  return part.region === 'body' && part.links >= 3 && part.linked > part.text.length * 0.7;
}
