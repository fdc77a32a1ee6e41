import { expect, test } from 'vitest';
import { openApp, openPageOf, see, thread, write } from './open-page.ts';

export function testForums(): void {
  test('a post in a forum is written, answered, solved and closed', async () => {
    const page = await openPageOf((await openApp()).origin, '#discord/questions');
    const forum = page.locator('#forum');
    const form = page.getByRole('dialog');
    async function post(title: string, text: string, tag: string) {
      await forum.getByRole('button', { name: 'New post' }).click();
      await form.getByLabel('Title').fill(title);
      await form.getByLabel('Message').fill(text);
      await form.getByLabel(tag).check();
      await form.getByRole('button', { name: 'Post', exact: true }).click();
      await see(thread(page), text);
    }

    await see(forum, 'No posts here yet.');
    await post('Rules', 'Be kind.', 'Events');
    await write(thread(page), '@causeway chatbot follow posts');
    await see(thread(page), /I answer every new post. Below it/);
    await write(thread(page), '@causeway chatbot tags solved --means solved');
    await see(thread(page), /set when the person who asked/);
    await thread(page).getByRole('button', { name: 'Close post' }).click();
    await see(forum, 'Closed');
    await thread(page).getByRole('button', { name: 'Open again' }).waitFor();

    await post('Adding a source', 'How do I do that?', 'Café');
    await thread(page)
      .getByRole('button', { name: /Helpful$/ })
      .click();
    await see(thread(page), 'The post is marked as solved.');
    const [first, ...others] = await forum.getByRole('listitem').allTextContents();
    expect(first).toMatch(/^Adding a sourceAda · .*CaféSolved$/);
    expect(others).toEqual([expect.stringMatching(/^RulesAda · .*Events$/)]);
    await see(thread(page).locator('.heading'), 'Solved');
  });
}
