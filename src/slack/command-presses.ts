import type { App, BlockAction } from '@slack/bolt';
import { z } from 'zod';
import { showTexts } from '../commands/show-texts.ts';
import type { Log } from '../conversation/ports.ts';
import { commandActions } from './buttons.ts';
import { createResponder } from './responder.ts';
import { createChannelPlace, createPrivatePlace } from './result-place.ts';
import { type CommandTools, createContext } from './run-command.ts';

const pressed = z.object({
  channel: z.object({ id: z.string().min(1) }),
  user: z.object({ id: z.string().min(1) }),
  response_url: z.string(),
});

/** Does what the buttons of commands' results say, when they are pressed. */
export function hearCommandPresses(
  app: App,
  tools: CommandTools & { trustedOrigins: readonly string[]; log: Log },
): void {
  const { table, clients, people, sleep, trustedOrigins, log } = tools;

  async function press(body: BlockAction, id: string): Promise<void> {
    const { data } = pressed.safeParse(body);
    if (!data) return;
    const channel = data.channel.id;
    const person = await people.find(data.user.id);
    const { place, results } = table.press(id, createContext(person, channel, tools));
    const origin = { client: clients.writes, channel, user: person.id };
    const responder = createResponder(data.response_url, trustedOrigins, true);
    const shownAt =
      place === 'channel'
        ? createChannelPlace(origin)
        : createPrivatePlace({ ...origin, responder });
    await showTexts(results, shownAt, sleep);
  }

  app.action<BlockAction>({ type: 'block_actions', action_id: commandActions }, async (args) => {
    await args.ack();
    const { value } = args.action as { value?: unknown };
    if (typeof value !== 'string') return;
    try {
      await press(args.body, value);
    } catch (error) {
      log.warn({ err: error }, 'what a button did was not shown in Slack');
    }
  });
}
