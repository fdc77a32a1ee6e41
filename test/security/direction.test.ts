import { describe, expect, test } from 'vitest';
import { renderSourceName } from '../../src/bridge/commands/source/render-source.ts';
import {
  renderPassages,
  renderSources,
} from '../../src/bridge/conversation/reply/reply-contents.ts';
import { renderButtons as renderDiscordButtons } from '../../src/bridge/discord/buttons.ts';
import {
  renderMarkdown as renderForDiscord,
  renderSmallPrint,
} from '../../src/bridge/discord/render.ts';
import { english } from '../../src/bridge/texts/texts.ts';
import { renderButtons } from '../../src/bridge/slack/buttons.ts';
import { toOption } from '../../src/bridge/slack/modal-fields.ts';
import { renderInSections, renderMessage } from '../../src/bridge/slack/message.ts';
import { renderStream, streamStart } from '../../src/bridge/slack/streams.ts';

/** Embeddings, overrides, isolates and their ends. */
const turns = Array.from('\u202A\u202B\u202C\u202D\u202E\u2066\u2067\u2068\u2069');
const anyTurn = /[\u202A-\u202E\u2066-\u2069]/;
const turned = turns.map((turn) => `a${turn}b`).join(' ');
const straight = turns.map(() => 'ab').join(' ');

const arabic = 'دليل (2026)\u200F!';
const hebrew = 'ל\u200Eabc\u200E מדריך';

/** All texts in a payload. */
const textsIn = (sent: unknown) => JSON.stringify(sent);

describe('an answer can’t turn the direction of text', () => {
  const markdown = `${turned}, *${turned}*, \`${turned}\`, [${turned}](https://a.example)\n\n\`\`\`\n${turned}\n\`\`\``;

  test('in Slack', async () => {
    const message = renderMessage({ markdown, footer: markdown });
    expect(textsIn(message)).not.toMatch(anyTurn);
    expect(message.text).toContain(straight);
    expect(textsIn(await renderInSections({ markdown, footer: markdown }))).not.toMatch(anyTurn);
  });

  test('in Slack’s streams, wherever they are split', () => {
    let text = streamStart;
    let shown = '';
    for (const character of markdown) {
      const { rendered, next } = renderStream(text, character);
      text = next;
      shown += rendered;
    }
    shown += renderStream(text, '', { ended: true }).rendered;
    expect(shown).not.toMatch(anyTurn);
    expect(shown).toContain(`${straight}, *${straight}*`);
  });

  test('in Discord', () => {
    expect(renderForDiscord(markdown)).toContain(`${straight}, *${straight}*, \`${straight}\``);
    expect(renderForDiscord(markdown)).not.toMatch(anyTurn);
  });

  test('and one in Arabic or Hebrew stays unchanged, with its marks', () => {
    for (const text of [`${arabic} ${hebrew}`, '\u061Cمرحبا \u200F(1)\u200F']) {
      expect(renderForDiscord(text)).toBe(text);
      expect(renderMessage({ markdown: text }).blocks).toEqual([{ type: 'markdown', text }]);
    }
  });
});

describe('a name or title', () => {
  const source = { marker: '1.1', title: `a\u202Eb${arabic}`, quote: turned };

  test('keeps its place among others in the list of sources', () => {
    const other = { marker: '1.2', title: 'Handbook', quote: '' };
    const footer = renderSources([source, other], english);
    const listed = `[1] \u200Eab${arabic}\u200E · [2] Handbook`;
    expect(footer).toContain(listed);
    expect(textsIn(renderMessage({ markdown: 'a', footer }))).toContain(listed);
    expect(renderSmallPrint(footer).join('')).toContain(listed);
  });

  test('keeps its place above a passage, and the passage turns no text', () => {
    const passages = renderPassages([source]);
    expect(renderForDiscord(passages)).toBe(`**[1]** \u200Eab${arabic}\u200E\n> ${straight}`);
    expect(textsIn(renderMessage({ markdown: passages }))).not.toMatch(anyTurn);
  });

  test('keeps its place in the result of a command', () => {
    const name = renderSourceName({ title: `${hebrew}\u202E` } as Parameters<
      typeof renderSourceName
    >[0]);
    expect(name).toBe(`**\u200E${hebrew}\u200E**`);
    expect(renderSourceName({ title: 'é\u202E' } as Parameters<typeof renderSourceName>[0])).toBe(
      '**é**',
    );
  });

  test('turns no text on a button or in a menu', () => {
    const button = { action: 'retry', label: turned, turn: '1' } as const;
    expect(textsIn(renderButtons([button], 'plain'))).toContain(straight);
    expect(textsIn(renderDiscordButtons([button]))).toContain(straight);
    expect(toOption({ label: turned, value: '1' }).text.text).toBe(straight);
  });
});
