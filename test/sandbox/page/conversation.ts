import type { App } from '@slack/bolt';
import { Events, type Message } from 'discord.js';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createManifest } from '../../../src/app/manifest.ts';
import { serveSandbox, startDiscordBot } from '../serve-sandbox.ts';
import { startBot } from '../slack/start-bot.ts';
import {
  channel,
  expectSoon,
  guide,
  openPage,
  openPageOf,
  openSandbox,
  see,
  thread,
  visit,
  write,
} from './open-page.ts';
import { commandNames } from '../../fixtures/command-names.ts';

export function testPage(): void {
  describe('the page', () => {
    test('opens in Slack’s #general as Ada, ready to write, and says what to try', async () => {
      // On an origin of its own, of which the browser has stored nothing.
      const served = await serveSandbox();
      onTestFinished(() => served[Symbol.asyncDispose]());
      const page = await openPageOf(served.origin);
      await page.getByRole('heading', { name: '# general' }).waitFor();
      const general = served.sandbox.slack.channels().find(({ name }) => name === 'general');
      expect(new URL(page.url()).hash).toBe(`#slack/${general?.id}`);
      await expectSoon(() => page.evaluate(transferred)).toBeLessThan(300_000);
      expect(await page.evaluate(transferred)).toBeGreaterThan(100_000);
      await expectSoon(() => page.getByLabel('You are').inputValue()).toBe('ada');
      await page.getByRole('button', { name: '@causeway How do I add a source?' }).click();
      const composer = page.getByLabel('Message #general');
      await expectSoon(() => composer.inputValue()).toBe('@causeway How do I add a source?');
      await expectSoon(() => page.locator(':focus').getAttribute('aria-label')).toBe(
        'Message #general',
      );

      await page.reload();
      await page.getByRole('heading', { name: '# general' }).waitFor();
      expect(await page.evaluate(fetchedAgain)).toEqual([]);
    });

    test('hands a message’s files to the app, whose form gives the choices for what is typed', async () => {
      const { origin, sandbox } = await openSandbox();
      sandbox.slack.install(JSON.parse(createManifest(commandNames())));
      const shortcut = sandbox.slack.shortcuts()[0];
      const menu = Promise.withResolvers<string>();
      const sent = Promise.withResolvers<object>();
      await using _ = await startBot(sandbox.slack, (app) => {
        app.shortcut(shortcut?.callbackId ?? '', async ({ ack, body, client }) => {
          await ack();
          await client.views.open({ trigger_id: body.trigger_id, view: searchingView as never });
        });
        app.command('/causeway', async ({ ack, command }) => {
          await ack();
          menu.resolve(command.text);
        });
        app.options('tags', async ({ ack, payload }) => {
          const found = ['lamp', 'oil lamp', 'wick'].filter((tag) => tag.includes(payload.value));
          await ack({
            options: found.map((value) => ({ text: { type: 'plain_text', text: value }, value })),
          });
        });
        app.view('adding', async ({ ack, view }) => {
          await ack();
          sent.resolve(view.state.values['tags']?.['tags'] ?? {});
        });
      });
      const page = await openPageOf(origin);
      await page.getByLabel('Message #general').pressSequentially('/c');
      await page.getByRole('option', { name: '/causeway ask | source | tag' }).click();
      await channel(page).getByRole('textbox').press('Enter');
      expect(await menu.promise).toBe('');
      await channel(page).locator('input[type=file]').setInputFiles(guide);
      await write(channel(page), 'Read this');
      const message = channel(page).locator('.message');
      await message.hover();
      await message.getByRole('button', { name: shortcut?.name ?? '' }).click();
      const form = page.getByRole('dialog');
      await form.getByText('wick').waitFor();
      const search = form.getByRole('combobox', { name: 'Tags' });
      await search.fill('oil');
      await form.getByRole('option', { name: 'oil lamp' }).click();
      await form.getByRole('button', { name: 'Add', exact: true }).click();
      const values = ['wick', 'oil lamp'];
      expect(await sent.promise).toMatchObject({
        selected_options: values.map((value) => ({ value, text: { text: value } })),
      });
    });

    test('shows a reply growing in the thread of a mention', async () => {
      const { page, sandbox } = await openPage();
      const grown = Promise.withResolvers<void>();
      await using _ = await startBot(sandbox.slack, (app) => answerSlowly(app, grown.promise));
      const composer = channel(page).getByRole('textbox');
      await composer.pressSequentially('@ca');
      await page.getByRole('option', { name: 'Causeway' }).waitFor();
      await composer.press('Tab');
      await composer.pressSequentially('why?');
      await composer.press('Shift+Enter');
      await composer.pressSequentially('Really.');
      await composer.press('Enter');
      await see(thread(page), 'It is because');
      await thread(page).getByRole('button', { name: 'Stop' }).waitFor();
      expect(page.url()).toMatch(/#slack\/C\w+\/[\d.]+$/);
      await see(channel(page), '1 reply');
      const [question] = sandbox.slack.messages(sandbox.slack.channels()[0]?.id ?? '');
      expect(question?.text).toBe(`<@${sandbox.slack.bot.user}> why?\nReally.`);

      grown.resolve();
      await thread(page).locator('strong', { hasText: 'so it is' }).waitFor();
      await thread(page).getByRole('button', { name: 'Stop' }).waitFor({ state: 'hidden' });
      await expectSoon(() => thread(page).getByRole('listitem').count()).toBe(2);
      await thread(page).getByRole('button', { name: 'Again' }).click();
      await see(thread(page), 'Only visible to you');

      await write(thread(page), 'Thanks');
      await see(thread(page), 'Thanks');
      await page.reload();
      await see(thread(page), 'Thanks');
      await page.getByLabel('You are').selectOption('grace');
      await see(thread(page), 'Thanks');
      await expectSoon(() => thread(page).getByText('Only visible to you').count()).toBe(0);
      await page.getByLabel('Close the thread').click();
      await thread(page).waitFor({ state: 'hidden' });
    });

    test('changes and deletes one’s own messages, and attaches files', async () => {
      const { page } = await openPage();
      await channel(page).locator('input[type=file]').setInputFiles(guide);
      await write(channel(page), 'Read this, @grace');
      const message = channel(page).locator('.message');
      await expectSoon(() => message.getByRole('link', { name: /guide\.md/ }).textContent()).toBe(
        'guide.md7 B',
      );
      await message.getByText('@Grace Hopper').waitFor();
      await message.hover();
      await message.getByRole('button', { name: 'Edit' }).click();
      const editor = page.getByLabel('Edit the message');
      await expectSoon(() => editor.inputValue()).toBe('Read this, @grace');
      await editor.fill('Read *that*');
      await editor.press('Enter');
      await see(message, '(edited)');
      await message.locator('strong', { hasText: 'that' }).waitFor();
      page.once('dialog', (dialog) => void dialog.accept());
      await message.hover();
      await message.getByRole('button', { name: 'Delete' }).click();
      await message.waitFor({ state: 'detached' });
      await see(channel(page), 'No messages here yet');
      await expectSoon(() => message.count()).toBe(0);
    });

    test('opens Discord’s thread beside its channel, and lists it', async () => {
      const { page, sandbox } = await openPage();
      await using bot = await startDiscordBot(sandbox);
      const answer = async (message: Message) => {
        if (message.author.bot || message.channel.isThread()) return;
        const opened = await message.startThread({ name: 'About why' });
        const sent = await opened.send('Because');
        await sent.edit('Because **of it**\n-# Sources: none');
      };
      bot.client.on(Events.MessageCreate, (message) => void answer(message));
      await visit(page, 'Discord', 'general');
      await write(page.getByRole('main'), '@causeway why?');
      await thread(page).getByRole('heading', { name: 'About why' }).waitFor();
      await thread(page).locator('strong', { hasText: 'of it' }).waitFor();
      await see(thread(page), 'Sources: none');
      const listed = page.locator('#sidebar.discord').getByRole('link', { name: 'About why' });
      await expectSoon(() => listed.getAttribute('aria-current')).toBe('page');
    });

    test('groups the messages of a day by who wrote them', async () => {
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
    });

    test('shows texts as they are meant, and nothing that was not', async () => {
      const { page } = await openPage();
      const script = `import('/sandbox/message-part.js').then(({ renderPart }) =>
      ${JSON.stringify(renderCases)}.map(([dialect, text]) => {
        const names = { user: (id) => 'user ' + id, channel: (id) => 'channel ' + id };
        const part = renderPart({ kind: 'text', dialect, text }, names);
        return part.innerHTML.replaceAll(' dir="auto"', '');
      }))`;
      const rendered = (await page.evaluate(script)) as string[];
      const shown = renderCases.map(([dialect, text], index) => [dialect, text, rendered[index]]);
      expect(shown).toEqual(renderCases);
    });
  });
}

/** Texts: the id, the author, the minute, and what else there is. */
const grouped: [string, string, number, object?][] = [
  ['1', 'ada', 0],
  ['2', 'ada', 4],
  ['3', 'ada', 10],
  ['4', 'grace', 11],
  ['5', 'grace', 12, { onlyFor: 'ada' }],
  ['6', 'grace', 13, { replyTo: '1' }],
  ['7', 'grace', 2 * 24 * 60],
];

/** The bytes of the first load. */
const transferred = `[...performance.getEntriesByType('navigation'),
  ...performance.getEntriesByType('resource')].reduce((sum, one) => sum + one.transferSize, 0)`;

/** The page's own files that the browser did not have. */
const fetchedAgain = `performance.getEntriesByType('resource')
  .filter(({ name, transferSize }) => /\\.(js|css)$/.test(name) && transferSize > 0)
  .map(({ name }) => name)`;

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

/** Answers a mention in its thread, and goes on once the promise resolves. */
function answerSlowly(app: App, goOn: Promise<void>): void {
  app.event('app_mention', async ({ event, say, client }) => {
    const text = 'It is because';
    const session = { channel_id: event.channel, thread_ts: event.ts };
    const setStatus = (status: string) =>
      client.apiCall('agents.sessions.setStatus', { ...session, status });
    await setStatus('processing');
    const { channel, ts } = await say({ text, thread_ts: event.ts });
    await goOn;
    const again = { type: 'button', action_id: 'again', text: plain('Again') } as const;
    await client.chat.update({
      channel: String(channel),
      ts: String(ts),
      text,
      blocks: [
        { type: 'markdown', text: 'It is because **so it is**' },
        { type: 'actions', elements: [again] },
      ],
    });
    await setStatus('active');
  });
  app.action('again', async ({ ack, respond }) => {
    await ack();
    await respond({ text: 'Once more', replace_original: false, response_type: 'ephemeral' });
  });
}

function plain(text: string) {
  return { type: 'plain_text', text } as const;
}

const searchingView = {
  type: 'modal',
  callback_id: 'adding',
  title: { type: 'plain_text', text: 'Add' },
  submit: { type: 'plain_text', text: 'Add' },
  blocks: [
    {
      type: 'input',
      block_id: 'tags',
      label: { type: 'plain_text', text: 'Tags' },
      element: {
        type: 'multi_external_select',
        action_id: 'tags',
        min_query_length: 0,
        initial_options: [{ text: { type: 'plain_text', text: 'wick' }, value: 'wick' }],
      },
    },
  ],
};
