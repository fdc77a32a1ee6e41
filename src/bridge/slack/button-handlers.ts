import type { App, BlockAction, ButtonAction as PressedButton, webApi } from '@slack/bolt';
import { z } from 'zod';
import type { Sleep } from '../../shared/primitives/time.ts';
import { createSharedTarget, showResults } from '../commands/adapters/show-results.ts';
import type { CommandContext } from '../commands/command.ts';
import type { Log } from '../../shared/primitives/log.ts';
import type { ButtonPress, Receiver } from '../conversation/platform.ts';
import type { ThreadAddress } from '../conversation/address.ts';
import { textsFor } from '../texts/texts.ts';
import { endSession } from './agent-status.ts';
import { commandActions, ourActions, parseButtonValue } from './buttons.ts';
import { type People, toAuthor } from './people.ts';
import {
  createChannelTarget,
  createPrivateTarget,
  createResponder,
  tellRequester,
} from './result-target.ts';
import { askForRemark, handleRemarks } from './remark-modal.ts';
import { createContext, type RunTools, toGiver } from './run-command.ts';

const place = z.object({
  channel: z.object({ id: z.string().min(1) }),
  message: z.object({ thread_ts: z.string().optional() }).optional(),
  container: z.object({ thread_ts: z.string().optional() }).optional(),
});

/** A press, and where it was. */
interface Pressed extends Pick<ButtonPress, 'id' | 'action' | 'turn' | 'remark'> {
  channel: string;
  thread?: string;
}

/** What button handlers need from the rest of the adapter. */
interface ButtonHandlerOptions {
  client: webApi.WebClient;
  people: People;
  addressOf: (channel: string, thread: string) => ThreadAddress;
  receiver: () => Receiver | undefined;
  log: Log;
  sleep: Sleep;
}

/**
 * Reports button presses to the core, and shows its answer in the thread, only to the person who
 * pressed. docs.slack.dev/reference/interaction-payloads/block_actions-payload.
 */
export function handleButtons(app: App, options: ButtonHandlerOptions): void {
  const { client, people, addressOf, receiver, log, sleep } = options;

  async function press(
    user: string,
    { channel, thread, ...pressed }: Pressed,
    ack: () => Promise<void>,
  ): Promise<void> {
    const person = await people.find(user);
    const by = toAuthor(person);
    const texts = textsFor(person.locale);
    const where = addressOf(channel, thread ?? channel);
    const stored = await receiver()?.pressed({ ...pressed, by, place: where });
    await ack();
    const said = await stored?.answer;
    if (!said) return;
    const origin = { client, channel, thread, user: by.id, texts };
    try {
      await tellRequester(origin, { markdown: said }, sleep);
    } catch (error) {
      log.warn({ err: error, channel }, 'an answer to a button was not shown');
    }
  }

  /** The press is stored already, so a form that does not open is only logged. */
  async function ask(trigger: string, user: string, pressed: Pressed): Promise<void> {
    try {
      const texts = textsFor((await people.find(user)).locale);
      await askForRemark(client, trigger, pressed, texts);
    } catch (error) {
      log.info({ err: error }, 'nobody was asked why an answer was not helpful');
    }
  }

  app.action<BlockAction>({ type: 'block_actions', action_id: ourActions }, async (args) => {
    const { value, action_ts: time } = args.action as Partial<PressedButton>;
    const button = parseButtonValue(value);
    const { data: at } = place.safeParse(args.body);
    if (!button || !at) return args.ack();
    const user = args.body.user.id;
    const thread = at.container?.thread_ts ?? at.message?.thread_ts;
    const pressed = {
      ...button,
      channel: at.channel.id,
      thread,
      ...(time && { id: `${time} ${user}` }),
    };
    const asking = button.action === 'unhelpful' && ask(args.body.trigger_id, user, pressed);
    await Promise.all([press(user, pressed, () => args.ack()), asking]);
  });
  handleRemarks(app, (user, pressed, ack) => press(user, { ...pressed, action: 'unhelpful' }, ack));
}

const stopped = z.object({
  channel: z.string().min(1),
  user: z.string().min(1),
  thread_ts: z.string().min(1),
});

/**
 * Reports presses of Slack's own stop button to the core, and ends the thread's session, which
 * Slack leaves to the app: docs.slack.dev/reference/events/agent_session_stopped.
 */
export function handleStops(app: App, options: ButtonHandlerOptions): void {
  const { people, addressOf, receiver } = options;

  app.event('agent_session_stopped', async ({ event }) => {
    const { data } = stopped.safeParse(event);
    if (!data) return;
    const { channel, user, thread_ts: thread } = data;
    const by = toAuthor(await people.find(user));
    const told = receiver()?.stopped(addressOf(channel, thread), by);
    await Promise.all([told, endSession({ channel, thread }, options)]);
  });
}

const pressedCommand = z.object({
  channel: z.object({ id: z.string().min(1) }),
  container: z.object({ thread_ts: z.string().optional() }).optional(),
  user: z.object({ id: z.string().min(1), name: z.string().optional() }),
  response_url: z.string(),
});
type PressedCommand = z.infer<typeof pressedCommand>;

const commandButton = z.object({
  value: z.string(),
  text: z.object({ text: z.string() }).optional(),
});
type CommandButton = z.infer<typeof commandButton>;

/** Handles presses of the buttons below command results. */
export function handleCommandButtons(
  app: App,
  tools: RunTools & { trustedOrigins: readonly string[] },
): void {
  const { runner, clients, people, sleep, trustedOrigins, running } = tools;

  async function press(
    { channel: { id: channel }, container, user, response_url: url }: PressedCommand,
    { value: id, text }: CommandButton,
    accepted: CommandContext['accepted'],
  ): Promise<void> {
    const thread = container?.thread_ts;
    const person = await people.find(user.id);
    const context = { ...createContext(person, { channel, thread }, tools), accepted };
    const { place, at, results } = await runner.press(id, context, text?.text);
    const texts = textsFor(person.locale);
    const origin = { client: clients.writes, channel, thread, user: person.id, texts };
    const replacing = place === 'here' || place === 'instead';
    const responder = createResponder({ url, trustedOrigins, thread, replacing });
    const own = createPrivateTarget({ ...origin, responder });
    const shared = createChannelTarget({ ...origin, ...at });
    const targets = {
      here: own,
      private: own,
      channel: shared,
      instead: createSharedTarget({ shared, own }, 'own'),
    };
    await showResults(results, targets[place], sleep);
  }

  app.action<BlockAction>({ type: 'block_actions', action_id: commandActions }, async (args) => {
    const { data: button } = commandButton.safeParse(args.action);
    const { data: body } = pressedCommand.safeParse(args.body);
    if (!button || !body) return args.ack();
    const by = toGiver(body.user, body.channel.id, tools);
    const accepted = await runner.acceptPress(button.value, by);
    await args.ack();
    const pressed = async () => {
      try {
        await press(body, button, accepted);
      } finally {
        await accepted?.end();
      }
    };
    running.start(pressed(), 'a button');
  });
}
