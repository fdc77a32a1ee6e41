import type { App, BlockAction } from '@slack/bolt';
import { z } from 'zod';
import { showResults } from '../commands/adapters/show-results.ts';
import { textsFor } from '../texts/texts.ts';
import { commandActions } from './buttons.ts';
import { createResponder } from './responder.ts';
import { createChannelTarget, createPrivateTarget } from './result-target.ts';
import { type RunTools, createContext } from './run-command.ts';

const pressed = z.object({
  channel: z.object({ id: z.string().min(1) }),
  container: z.object({ thread_ts: z.string().optional() }).optional(),
  user: z.object({ id: z.string().min(1) }),
  response_url: z.string(),
});

const pressedButton = z.object({
  value: z.string(),
  text: z.object({ text: z.string() }).optional(),
});
type PressedButton = z.infer<typeof pressedButton>;

/** Handles presses of the buttons below command results. */
export function handleCommandButtons(
  app: App,
  tools: RunTools & { trustedOrigins: readonly string[] },
): void {
  const { runner, clients, people, sleep, trustedOrigins, running } = tools;

  async function press(body: BlockAction, { value: id, text }: PressedButton): Promise<void> {
    const { data } = pressed.safeParse(body);
    if (!data) return;
    const {
      channel: { id: channel },
      container,
      user,
      response_url: url,
    } = data;
    const thread = container?.thread_ts;
    const person = await people.find(user.id);
    const context = createContext(person, { channel, thread }, tools);
    const { place, at, results } = await runner.press(id, context, text?.text);
    const texts = textsFor(person.locale);
    const origin = { client: clients.writes, channel, thread, user: person.id, texts };
    const responder = createResponder({ url, trustedOrigins, thread, replacing: place === 'here' });
    const target =
      place === 'channel'
        ? createChannelTarget({ ...origin, ...at })
        : createPrivateTarget({ ...origin, responder });
    await showResults(results, target, sleep);
  }

  app.action<BlockAction>({ type: 'block_actions', action_id: commandActions }, async (args) => {
    await args.ack();
    const { data: button } = pressedButton.safeParse(args.action);
    if (button) running.start(press(args.body, button), 'a button');
  });
}
