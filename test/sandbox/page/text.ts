import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
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

export function testText(): void {
  test('messages are grouped by author and day, and shown with their markup, and texts of 100 kB whole', async () => {
    const { page } = await openPage();
    const toMessage = ([id, author, at, more = {}]: (typeof grouped)[number]) => ({
      id,
      author: { id: author },
      at: Date.UTC(2020, 0, 15, 12) + at * 60_000,
      ...more,
    });
    const script = `import('/sandbox/message-list.js').then(({ createMessageList }) => {
      const shown = [];
      const list = createMessageList((message) => ({
        message,
        element: document.createElement('li'),
        day: new Date(message.at).toDateString(),
        arrange: ({ day, continues }) =>
          shown.push(message.id + (day ? ' new day' : '') + (continues ? ' goes on' : '')),
      }));
      list.reset(${JSON.stringify(grouped.map(toMessage))});
      return shown;
    })`;
    expect(await page.evaluate(script)).toEqual([
      '1 new day',
      '2 goes on',
      '3',
      '4',
      '5',
      '6',
      '7 new day',
    ]);

    const render = `import('/sandbox/message-part.js').then(({ renderPart }) =>
      ${JSON.stringify(renderCases)}.map(([dialect, text]) => {
        const names = { user: (id) => 'user ' + id, channel: (id) => 'channel ' + id };
        const part = renderPart({ kind: 'text', dialect, text }, names);
        return part.innerHTML.replaceAll(' dir="auto"', '');
      }))`;
    const rendered = (await page.evaluate(render)) as string[];
    const shown = renderCases.map(([dialect, text], index) => [dialect, text, rendered[index]]);
    expect(shown).toEqual(renderCases);

    const pieces = ['word ', 'W', '🎉', '<b>', '\u202Eא', '[a](b) ', '> - * `', '||_'];
    const large = pieces.map((piece) => piece.repeat(12_500 / piece.length)).join('\n\n');
    for (const dialect of ['plain', 'mrkdwn', 'markdown', 'discord']) {
      const show = `import('/sandbox/message-part.js').then(({ renderPart }) => {
        const names = { user: (id) => id, channel: (id) => id };
        const part = { kind: 'text', dialect: '${dialect}', text: ${JSON.stringify(large)} };
        const list = document.querySelector('.messages');
        list.replaceChildren(renderPart(part, names));
        return [list.textContent.length, list.querySelectorAll('b, a').length, list.scrollHeight];
      })`;
      const [length = 0, elements, height] = (await page.evaluate(show)) as number[];
      // Some of the marks become lists, quotes or emphasis.
      expect(length).toBeGreaterThan(75_000);
      expect(elements).toBe(0);
      expect(height).toBeGreaterThan(1000);
    }
  });

  test('hostile text is shown as text, within its place, on both platforms', async () => {
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
}

/** Messages: the id, the author, the minute, and what else there is. */
const grouped: [string, string, number, object?][] = [
  ['1', 'ada', 0],
  ['2', 'ada', 4],
  ['3', 'ada', 10],
  ['4', 'grace', 11],
  ['5', 'grace', 12, { onlyFor: 'ada' }],
  ['6', 'grace', 13, { replyTo: '1' }],
  ['7', 'grace', 2 * 24 * 60],
];

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

const newTabAttributes = 'target="_blank" rel="noopener noreferrer"';
const mentionClass = 'class="mention"';

/** The dialect, a text in it, and how it is shown. */
const renderCases = [
  ['plain', '*a* <b>', '<p>*a* &lt;b&gt;</p>'],
  ['mrkdwn', '*a* _b_ ~c~ `*d*`', '<p><strong>a</strong> <em>b</em> <s>c</s> <code>*d*</code></p>'],
  ['mrkdwn', '2*3*4 snake_case_name', '<p>2*3*4 snake_case_name</p>'],
  ['mrkdwn', '&lt;i&gt; &amp;amp;', '<p>&lt;i&gt; &amp;amp;</p>'],
  [
    'mrkdwn',
    '<@U1> in <#C1|x>: <!here>',
    `<p><span ${mentionClass}>@user U1</span> in <span ${mentionClass}>#channel C1</span>: <span ${mentionClass}>@here</span></p>`,
  ],
  [
    'mrkdwn',
    '<https://a.example/?b=1&amp;c=2|*it*>',
    `<p><a href="https://a.example/?b=1&amp;c=2" ${newTabAttributes}>*it*</a></p>`,
  ],
  ['mrkdwn', '<javascript:alert(1)|it>', '<p>&lt;javascript:alert(1)|it&gt;</p>'],
  ['mrkdwn', 'a\n&gt; b\nc', '<p>a</p><blockquote><p>b</p></blockquote><p>c</p>'],
  ['mrkdwn', 'a ```b\n*c*``` d', '<p>a </p><pre><code>b\n*c*</code></pre><p> d</p>'],
  ['markdown', '<img src=x onerror=alert(1)>', '<p>&lt;img src=x onerror=alert(1)&gt;</p>'],
  ['markdown', '**a *b* c** ~~d~~', '<p><strong>a <em>b</em> c</strong> <s>d</s></p>'],
  ['markdown', '***a***', '<p><em><strong>a</strong></em></p>'],
  ['markdown', '__a__ _b_ a_b_c', '<p><strong>a</strong> <em>b</em> a_b_c</p>'],
  ['markdown', String.raw`\*a\* 2 * 3 * 4`, '<p>*a* 2 * 3 * 4</p>'],
  ['markdown', '`` a`b `` `c', '<p><code>a`b</code> `c</p>'],
  ['markdown', '[it](javascript:alert(1))', '<p>[it](javascript:alert(1))</p>'],
  ['markdown', '[it](data:text/html,x)', '<p>[it](data:text/html,x)</p>'],
  [
    'markdown',
    '[**it** (1)](https://a.example/b_(c)) https://a.example/d_e.',
    `<p><a href="https://a.example/b_(c)" ${newTabAttributes}><strong>it</strong> (1)</a> <a href="https://a.example/d_e" ${newTabAttributes}>https://a.example/d_e</a>.</p>`,
  ],
  ['markdown', '# A\n## B #\nc', '<h3>A</h3><h4>B</h4><p>c</p>'],
  [
    'markdown',
    '```js\n<b>\n\n  **c**\n```\nd',
    '<pre><code>&lt;b&gt;\n\n  **c**</code></pre><p>d</p>',
  ],
  ['markdown', '~~~\na\n```\nb', '<pre><code>a\n```\nb</code></pre>'],
  ['markdown', '- a\n- b\n\n- c', '<ul><li><p>a</p></li><li><p>b</p></li><li><p>c</p></li></ul>'],
  [
    'markdown',
    '3. a\n   - b\n     c\n4. d',
    '<ol start="3"><li><p>a</p><ul><li><p>b\nc</p></li></ul></li><li><p>d</p></li></ol>',
  ],
  [
    'markdown',
    '- [x] a\n- [ ] b',
    '<ul><li class="task"><p>☑ a</p></li><li class="task"><p>☐ b</p></li></ul>',
  ],
  ['markdown', '> a\n> - b', '<blockquote><p>a</p><ul><li><p>b</p></li></ul></blockquote>'],
  ['markdown', 'a\n***\nb', '<p>a</p><hr><p>b</p>'],
  [
    'markdown',
    '| a | b |\n| - | - |\n| `c` | d\\|e |',
    '<div class="table" tabindex="0"><table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td><code>c</code></td><td>d|e</td></tr></tbody></table></div>',
  ],
  ['discord', '__a__ **b**', '<p><u>a</u> <strong>b</strong></p>'],
  ['discord', '-# **a**\nb', '<p class="small"><strong>a</strong></p><p>b</p>'],
  ['discord', '||a||', '<p><details class="spoiler"><summary>Spoiler</summary>a</details></p>'],
  [
    'discord',
    '<@1> <@&2> &lt;',
    `<p><span ${mentionClass}>@user 1</span> <span ${mentionClass}>@user 2</span> &amp;lt;</p>`,
  ],
  [
    'discord',
    '<https://a.example>',
    `<p><a href="https://a.example/" ${newTabAttributes}>https://a.example</a></p>`,
  ],
  ['discord', 'a ```js\nb``` c', '<p>a <code class="block">b</code> c</p>'],
  ['discord', '```*b*``` `c`', '<p><code class="block">*b*</code> <code>c</code></p>'],
  ['discord', ':tada: `:tada:` :none: <:lamp:1>', '<p>🎉 <code>:tada:</code> :none: :lamp:</p>'],
  ['mrkdwn', '*:tada:* 10:30:45 :wave::skin-tone-3:', '<p><strong>🎉</strong> 10:30:45 👋🏼</p>'],
  ['markdown', ':white_check_mark: `:x:`', '<p>✅ <code>:x:</code></p>'],
  ['discord', '| a | b |\n| - | - |', '<p>| a | b |\n| - | - |</p>'],
];
