import { describe, expect, onTestFinished, test } from 'vitest';
import { openBridge } from '../../e2e/scripted-bridge.ts';
import { channel, openPageOf, see, thread, visit, write } from './open-page.ts';

export function testStopping(): void {
  describe('a reply', () => {
    test('is stopped, and tried again after it broke off, on both platforms', async () => {
      const bridge = await openBridge('Slack');
      onTestFinished(() => bridge[Symbol.asyncDispose]());
      const { service, sandbox } = bridge;
      const { origin } = new URL(sandbox.slack.credentials.apiUrl);
      const page = await openPageOf(origin);
      const pane = thread(page);
      for (const platform of ['Slack', 'Discord'] as const) {
        await visit(page, platform, 'general');
        const first = service.asked();
        await write(channel(page), '@causeway why?');
        (await first).write('It is because');
        await see(pane, 'It is because');
        await pane.getByRole('button', { name: 'Stop', exact: true }).first().click();
        await see(pane, 'Stopped by');
        await pane.getByRole('button', { name: 'Stop', exact: true }).waitFor({ state: 'hidden' });

        const second = service.asked();
        await write(pane, 'And how?');
        const broken = await second;
        broken.write('Like');
        await see(pane, /^Like/);
        broken.die();
        await see(pane, 'The answer was cut off');
        const third = service.asked();
        await pane.getByRole('button', { name: 'Try again' }).last().click();
        const tried = await third;
        expect(tried.query).toBe('And how?');
        tried.write('Like this, entirely.');
        tried.end();
        await see(pane, 'Like this, entirely.');
        await page.keyboard.press('Escape');
      }
    });
  });
}
