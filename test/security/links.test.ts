import { array, assert, constantFrom, property } from 'fast-check';
import MarkdownIt from 'markdown-it';
import { describe, expect, test } from 'vitest';
import { closeMarkdown } from '../../src/bridge/conversation/markdown/close-markdown.ts';
import {
  renderPassages,
  renderSources,
} from '../../src/bridge/conversation/reply/reply-contents.ts';
import {
  renderMarkdown as renderForDiscord,
  renderSmallPrint,
} from '../../src/bridge/discord/render.ts';
import { english } from '../../src/bridge/texts/texts.ts';
import { renderInSections, renderMessage } from '../../src/bridge/slack/message.ts';
import { renderMarkdown as renderForSlack, renderMrkdwn } from '../../src/bridge/slack/render.ts';
import { renderStream, streamStart } from '../../src/bridge/slack/streams.ts';

const evil = 'https://evil.example/login';

/** Texts that look like an address of the bank, with a link to another host. */
const disguises = [
  'https://bank.example',
  'https://bank.example/login?a=1',
  'bank.example',
  'www.bank.example/path',
  '(bank.example)',
  '„bank.example“,',
  'log in at bank.example:',
  'https://bank.example@evil.example',
  'HTTPS://Bank.Example',
  'https://evil.bank.example',
  'https://b\u0430nk.example',
  'bank.ex\u0430mple',
  'ｂａｎｋ．ｅｘａｍｐｌｅ',
  'https:／／bank.example',
  'bank。example',
  'bank\u200B.exam\u00ADple',
  'bank.\u200Aexample',
  '**bank**.example',
  '`bank.example`',
  '*https://***bank.example**',
  String.raw`bank\.example`,
  String.raw`bank.example\login`,
  'bank&#46;example',
  'bank&period;example',
  '请看bank.example网站',
  'info@bank.example',
  'evil.example or bank.example',
  '127.0.0.1',
  'bank.example\u202E',
];

/** What people see of Slack's sections, with each link as Markdown. */
async function inSections(markdown: string): Promise<string> {
  const { blocks } = await renderInSections({ markdown });
  return blocks
    .map((block) => (block.type === 'section' ? (block.text?.text ?? '') : ''))
    .join('\n')
    .replaceAll(/<(https?:[^|>]*|mailto:[^|>]*)\|([^>]*)>/g, '[$2]($1)');
}

const ways: [name: string, render: (markdown: string) => string | Promise<string>][] = [
  ['Slack’s markdown block', renderForSlack],
  ['Slack’s sections', inSections],
  ['Discord', renderForDiscord],
];

/** The links that a platform may see in a text: by the rules of CommonMark. */
function linksOf(markdown: string): { text: string; address: string }[] {
  const links: { text: string; address: string }[] = [];
  let open = 0;
  const parser = new MarkdownIt();
  parser.validateLink = () => true;
  // Its own way to write a host keeps characters that browsers leave out.
  parser.normalizeLink = (address) => address;
  for (const { children } of parser.parse(markdown, {})) {
    for (const { type, content, attrs } of children ?? []) {
      if (type === 'link_open') {
        open += 1;
        links.push({ text: '', address: String(attrs?.[0]?.[1]) });
      } else if (type === 'link_close') open -= 1;
      else if (open > 0) links.at(-1)!.text += content;
    }
  }
  return links;
}

describe.each(ways)('in %s', (_, render) => {
  test.each(disguises)('a link that passes for %j is shown with its host', async (text) => {
    const shown = await render(`See [${text}](${evil}) now.`);
    expect(linksOf(shown)).toEqual([{ text: 'evil.example', address: evil }]);
    expect(shown).toMatch(/^See .* \(\[evil\.example\]\(.*\)\) now\.$/u);
  });

  test.each([
    'our handbook',
    'Node.js',
    'README.md',
    'next.config.mjs',
    'v1.2.3',
    'version 10.4.0',
    'e.g. this',
    'z.B. das',
    'i.e.',
    'U.S.A.',
    'fs.readFile',
    'Math.random()',
    'console.log',
    'src/main.ts',
    '第3.2节',
    'Node.js指南',
    'at 10:30',
    'C:/Users',
    'evil.example',
    'https://evil.example/other?x=bank.example',
    'www.evil.example',
    'EVIL.example:',
    'at https://evil.example/log…',
  ])('%j stays the text of a link', async (text) => {
    const shown = await render(`[${text}](${evil})`);
    expect(shown).not.toContain(' ([');
    expect(linksOf(shown)).toMatchObject([{ address: evil }]);
  });

  test('a host is shown in ASCII, so that no letter passes for another', async () => {
    expect(await render('[bank.example](https://b\u0430nk.example/)')).toMatch(
      /^bank\.example \(\[xn--bnk-6cd\.example\]\(.*\)\)$/,
    );
    expect(
      await render('At https://b\u0430nk.example/a or https://bank.example@evil.example/.'),
    ).toMatch(/bnk-6cd\.example\) or .*bank\.example@evil\.example\/>? \(evil\.example\)\.$/);
    expect(await render('[b\u0430nk.example](https://b\u0430nk.example/)')).toContain(
      'xn--bnk-6cd',
    );
  });

  test('an address in the text stays unchanged, whatever its path contains', async () => {
    const written = 'At https://a.example/wiki/B_(bank.example)?u=c,bank.example.';
    expect(await render(written)).not.toContain(' (');
    expect(await render('| https://a.example|')).toContain('https://a.example');
  });

  test('words around a link do not complete an address', async () => {
    expect(await render(`https://bank.[example](${evil})`)).toContain('([evil.example](');
    expect(await render(`[bank](${evil})[.example](${evil})`)).toContain('([evil.example](');
  });

  test('an image becomes a link, and an image inside a link becomes its text', async () => {
    expect(await render(`![https://bank.example](${evil})`)).toBe(
      `https://bank.example ([evil.example](${evil}))`,
    );
    expect(await render(`[![bank.example](https://bank.example/a.png)](${evil})`)).toBe(
      `bank.example ([evil.example](${evil}))`,
    );
  });

  test('a mail address is a link too', async () => {
    expect(await render('[info@bank.example](mailto:info@evil.example)')).toContain(
      '([info@evil.example](mailto:info@evil.example))',
    );
    expect(await render('[info@bank.example](mailto:info@bank.example?subject=x)')).not.toContain(
      ' (',
    );
  });

  test.each([
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'vbscript:x',
    'discord://-/x',
    'slack://open',
    '//evil.example',
    '/path',
    '#part',
    'https://',
    'https:evil.example',
    'https://evil&period;example/',
  ])('%s is refused as the address of a link', async (address) => {
    const shown = await render(`[our handbook](${address}) [x](<${address}>) ![y](${address})`);
    expect(shown).toBe('our handbook x y');
  });

  test('backslashes can’t hide part of a host', async () => {
    const shown = await render(String.raw`[bank.example](https://bank.example\.evil.example/a\_b)`);
    expect(shown).toBe(
      'bank.example ([bank.example.evil.example](https://bank.example.evil.example/a_b))',
    );
  });
});

describe.each(ways.slice(0, 2))('in %s, a token of Slack’s is text', (_, render) => {
  test.each([
    '<https://evil.example|https://bank.example>',
    '<https://evil.example/a|bank.example>',
    '<!channel>',
    '<!subteam^S012AB3CD|@all>',
    '<!date^1392734382^{date}^https://evil.example|bank>',
    '<@U012AB3CD|ada>',
    '<#C012AB3CD|name>',
    '<mailto:evil@evil.example|bank>',
    `[<https://evil.example|bank>](${evil})`,
    `\\<https://evil.example|bank>`,
    `**<https://evil.example|bank>**`,
  ])('%s', async (token) => {
    const shown = await render(token);
    // In sections, a bare address is a link to itself.
    expect(shown).not.toMatch(/<(?!https?:[^|<>]*>)/);
    expect(shown).not.toContain('[bank');
  });
});

/** Slack and Discord parse whole paragraphs, our scanner single lines. */
const fragments = [
  '[',
  ']',
  '(',
  ')',
  '](',
  '[](',
  '![',
  '][1]',
  '\n[1]: ',
  '\\',
  '\\]',
  '`',
  '``',
  '\n',
  '\n\n> ',
  '- ',
  '**',
  '_',
  '<',
  '>',
  '"',
  "'",
  ' ',
  '#',
  ':',
  '|',
  '$',
  'a',
  'bank',
  '.example',
  'bank.example',
  'https://bank.example',
  `](${evil})`,
  `(${evil})`,
  `(<${evil}>)`,
  `(${evil} "title")`,
  `[bank.example](${evil})`,
  `[https://bank.example\n](${evil})`,
  '](x)',
  '](javascript:x)',
  '\u200B',
  '\u202E',
  '```\n',
  '\\(',
  '\\[',
  '&#46;',
  '~~',
  '!',
];

describe.each<[string, (markdown: string) => string]>([
  ['Slack’s markdown block', renderForSlack],
  ['Discord', renderForDiscord],
])('whatever %s gets', (_, render) => {
  test('no link whose text is one address leads to another', () => {
    const texts = array(constantFrom(...fragments), { maxLength: 14 });
    assert(
      property(texts, (parts) => {
        const rendered = render(parts.join(''));
        for (const { text, address } of linksOf(rendered)) {
          const seen = text.replaceAll(/[\u200B\u202E]/g, '');
          expect([
            rendered,
            seen,
            /bank\.example(?![.a-z]|_[a-z])/.test(seen) &&
              // An address without a scheme leads nowhere.
              /^[a-z][a-z\d+.-]*:/i.test(address) &&
              !address.includes('bank.example'),
          ]).toEqual([rendered, seen, false]);
          expect([rendered, address]).toEqual([
            rendered,
            expect.stringMatching(/^(?:https?:|mailto:|(?![a-z][a-z\d+.-]*:))/i),
          ]);
        }
      }),
      { numRuns: 3_000 },
    );
  });
});

test.each(['[](x)```', '[`](x)``', '``[`](x)', '~[~~](x)'])(
  'without its link, %s opens no code around what follows on Slack',
  (line) => {
    const rendered = renderForSlack(`${line}\n\`\`\`\n[bank.example](${evil})\n\`\`\``);
    expect(rendered).not.toMatch(/^(?:`{3}|~{3})/);
    expect(linksOf(rendered)).toEqual([]);
  },
);

test('an address in angle brackets contains no link to another on Slack', () => {
  const rendered = renderForSlack(`<https://bank.example\\([bank.example](${evil})>`);
  expect(linksOf(rendered)).toEqual([]);
});

test('a fence of tildes with a backtick behind it opens code on Discord too', () => {
  const rendered = renderForDiscord(`~~~~[bank.example](${evil})\`\na\n~~~~`);
  expect(rendered).toBe('```\na\n```');
});

test('an address with another scheme in angle brackets is plain text on Discord', () => {
  expect(linksOf(renderForDiscord('<bank.examplehttps://bank.example>'))).toEqual([]);
  expect(linksOf(renderForDiscord('a <javascript:alert(1)> b'))).toEqual([]);
});

describe('while an answer streams', () => {
  const answer = `See [https://bank.example/a](${evil}) and [bank.example](${evil}), or ![bank.example](${evil}).`;

  test('half a link never shows a text like an address', () => {
    for (let end = 0; end <= answer.length; end += 1) {
      const rendered = renderForDiscord(closeMarkdown(answer.slice(0, end)));
      const alone = rendered.replaceAll(/bank\.example(?:\/a)? \(\[evil\.example\]/g, '');
      expect(alone).not.toContain('bank.example');
    }
  });

  test('Slack gets a link once it is complete, wherever the text was split', () => {
    let text = streamStart;
    let shown = '';
    for (const character of answer) {
      const { rendered, next } = renderStream(text, character);
      text = next;
      shown += rendered;
      expect(linksOf(shown).every((link) => link.text === 'evil.example')).toBe(true);
    }
    shown += renderStream(text, '', { ended: true }).rendered;
    expect(shown).toBe(renderForSlack(answer));
  });

  test('a link that is too long to hold back stays text', () => {
    const long = `[https://bank.example](${evil}/${'a'.repeat(3_000)}) so`;
    let text = streamStart;
    let shown = '';
    for (const piece of long.match(/.{1,40}/g) ?? []) {
      const { rendered, next } = renderStream(text, piece);
      text = next;
      shown += rendered;
    }
    shown += renderStream(text, '', { ended: true }).rendered;
    expect(linksOf(shown)).toEqual([]);
  });
});

describe('citations', () => {
  const source = {
    marker: '1.1',
    title: 'https://bank.example',
    quote: `> [bank.example](${evil})`,
  };

  test('a source named like another address is listed with its host', () => {
    const footer = renderSources([{ ...source, url: evil }], english);
    expect(renderMrkdwn(footer, 1_000)).toContain(`https://bank.example (<${evil}|evil.example>)`);
    expect(renderSmallPrint(footer).join('')).toContain(
      `https://bank.example ([evil.example](${evil}))`,
    );
    expect(
      renderMrkdwn('[<!channel>](https://a.example) <https://e.example|b>', 1_000),
    ).not.toMatch(/<!|<https:\/\/e/);
  });

  test('only web addresses are linked', () => {
    const footer = renderSources([{ ...source, url: 'javascript:alert(1)' }], english);
    expect(footer).toBe(english.thread.sources('[1] https://bank.example'));
  });

  test('passages show the host too', () => {
    const passages = renderForDiscord(renderPassages([{ ...source, url: evil }]));
    expect(linksOf(passages).map(({ text }) => text)).toEqual(['evil.example', 'evil.example']);
  });

  test('a notification, which has no links, shows the host too', () => {
    expect(renderMessage({ markdown: `[bank.example](${evil})` }).text).toBe(
      'bank.example (evil.example)',
    );
  });
});
