import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { channel, expectSoon, openPage, see } from './open-page.ts';

/** Shown as they are written. */
const markup = [
  '<img src=x onerror="window.pwned=1"><script>window.pwned=1</script>',
  '<svg/onload=window.pwned=1>',
  'javascript:window.pwned=1',
  '"><iframe srcdoc="<script>parent.pwned=1</script>">',
];

const texts = [
  ...markup,
  '[click](javascript:window.pwned=1) ![x](x"onerror="window.pwned=1)',
  '<javascript:window.pwned=1|click>',
  '||<b onclick=window.pwned=1>spoiler</b>||',
  'W'.repeat(1_900),
  `https://a.example/${'x'.repeat(1_500)}`,
  `\`\`\`\n${'C'.repeat(1_500)}\n\`\`\``,
  '🎉'.repeat(900),
  ':tada:'.repeat(300),
  `Z${'\u0301\u0302'.repeat(400)}`,
  '\u202Egnp.exe \u2066\u202D\u202B',
];
const file = new File(['x'], '"><img src=x onerror=window.pwned=1>\u202Egnp.md');

export function testHostileText(): void {
  describe('hostile text', () => {
    test('is shown as text, within its place, on both platforms', async () => {
      const { page, post, sandbox } = await openPage();
      const { slack, discord } = sandbox;
      const channels = { slack: slack.channels()[0]?.id, discord: discord.channels()[0]?.id };
      const { origin } = new URL(page.url());
      for (const [platform, id] of Object.entries(channels)) {
        await page.setViewportSize({ width: 390, height: 800 });
        await page.goto(`${origin}/sandbox/#${platform}/${id}`);
        for (const text of texts)
          await post(`/${platform}/say`, { user: 'grace', channel: id, text });
        await post(`/${platform}/say`, { user: 'grace', channel: id }, { file });
        for (const text of ['مرحبا, what is it?', 'What is مرحبا?', 'The end']) {
          await post(`/${platform}/say`, { user: 'ada', channel: id, text });
        }
        await see(channel(page), 'The end');
        for (const text of markup) await see(channel(page), text);
        await expectSoon(() =>
          channel(page).locator('img, script, svg, iframe, b, [onerror]').count(),
        ).toBe(0);
        await expectSoon(() => channel(page).locator('a[href^="javascript:"]').count()).toBe(0);
        await expectSoon(() => page.evaluate(directions)).toEqual(['rtl', 'ltr']);
        await expectSoon(() => tooWide(page)).toEqual([]);
        await page.setViewportSize({ width: 1280, height: 800 });
        await expectSoon(() => tooWide(page)).toEqual([]);
      }
      await expectSoon(() => page.evaluate('window.pwned')).toBeUndefined();
    });

    test('of 100 kB is rendered whole', async () => {
      const { page } = await openPage();
      const pieces = ['word ', 'W', '🎉', '<b>', '\u202Eא', '[a](b) ', '> - * `', '||_'];
      const text = pieces.map((piece) => piece.repeat(12_500 / piece.length)).join('\n\n');
      for (const dialect of ['plain', 'mrkdwn', 'markdown', 'discord']) {
        const script = `import('/sandbox/message-part.js').then(({ renderPart }) => {
        const names = { user: (id) => id, channel: (id) => id };
        const part = { kind: 'text', dialect: '${dialect}', text: ${JSON.stringify(text)} };
        const list = document.querySelector('.messages');
        list.replaceChildren(renderPart(part, names));
        return [list.textContent.length, list.querySelectorAll('b, a').length, list.scrollHeight];
      })`;
        const [length = 0, elements, height] = (await page.evaluate(script)) as number[];
        // Some of the marks become lists, quotes or emphasis.
        expect(length).toBeGreaterThan(75_000);
        expect(elements).toBe(0);
        expect(height).toBeGreaterThan(1000);
      }
    });
  });
}

/** Of the paragraphs with Arabic in them. */
const directions = `[...document.querySelectorAll('#channel .text p')]
  .filter(({ textContent }) => textContent.includes('مرحبا'))
  .map((paragraph) => getComputedStyle(paragraph).direction)`;

/** The messages and the page itself, where their content is wider than they are. */
function tooWide(page: Page): Promise<unknown> {
  return page.evaluate(`
    // What is far from the visible part would not be laid out.
    for (const { style } of document.querySelectorAll('.parts')) style.contentVisibility = 'visible';
    [document.documentElement, ...document.querySelectorAll('.message, .parts')]
    .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
    .map(({ className, scrollWidth, clientWidth, textContent }) =>
      [className, scrollWidth, clientWidth, textContent.slice(0, 60)].join(' '))`);
}
