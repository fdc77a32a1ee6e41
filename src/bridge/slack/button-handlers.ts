import type {
  App,
  BlockAction,
  ButtonAction as PressedButton,
  ViewSubmitAction,
  types,
  webApi,
} from '@slack/bolt';
import { z } from 'zod';
import { inTime } from '../../shared/primitives/time.ts';
import { createSharedTarget, showResults } from '../commands/adapters/show-results.ts';
import type { CommandContext } from '../commands/command.ts';
import type { ButtonPress } from '../conversation/platform.ts';
import { type Texts, textsFor } from '../texts/texts.ts';
import { endSession } from './agent-status.ts';
import { commandActions, ourActions, parseButtonValue } from './buttons.ts';
import {
  createChannelTarget,
  createPrivateTarget,
  createResponder,
  tellRequester,
} from './result-target.ts';
import { createContext, toGiver } from './run-command.ts';
import type { SlackWorkspace, Workspaces } from './workspace.ts';
import { maxRemarkLength } from '../conversation/buttons.ts';
import { parseJson } from './modal.ts';
import { plainText } from './modal-fields.ts';

const place = z.object({
  channel: z.object({ id: z.string().min(1) }),
  message: z.object({ thread_ts: z.string().optional() }).optional(),
  container: z.object({ thread_ts: z.string().optional() }).optional(),
});

/** Slack shows an error below a button whose press is not acknowledged within three seconds. */
const maxFindingMs = 2_000;

/** A press, and where it was. */
interface Pressed extends Pick<ButtonPress, 'id' | 'action' | 'turn' | 'remark'> {
  channel: string;
  thread?: string;
}

/**
 * Reports button presses to the core, and shows its answer in the thread, only to the person who
 * pressed. docs.slack.dev/reference/interaction-payloads/block_actions-payload.
 */
export function handleButtons(app: App, workspaces: Workspaces): void {
  async function press(
    user: string,
    { channel, thread, ...pressed }: Pressed,
    workspace: SlackWorkspace,
    ack: () => Promise<void>,
  ): Promise<void> {
    const { people, addressOf, receiver, log, sleep } = workspace;
    const finding = people.find(user);
    const known = await inTime(finding, maxFindingMs, sleep);
    if (!known) await ack();
    const by = known ?? (await finding);
    const where = addressOf(channel, thread ?? channel);
    const stored = await receiver()?.pressed({ ...pressed, by, place: where });
    if (known) await ack();
    const said = await stored?.answer;
    if (!said) return;
    try {
      await tellRequester(workspace, { channel, thread, user }, () => said);
    } catch (error) {
      log.warn({ err: error, channel }, 'an answer to a button was not shown');
    }
  }

  /** The press is stored already, so a modal that does not open is only logged. */
  async function ask(
    trigger: string,
    user: string,
    pressed: Pressed,
    { clients, people, log }: SlackWorkspace,
  ): Promise<void> {
    try {
      const texts = textsFor((await people.find(user)).locale);
      await askForRemark(clients.writes, trigger, pressed, texts);
    } catch (error) {
      log.info({ err: error }, 'the modal for “Not helpful” did not open');
    }
  }

  app.action<BlockAction>({ type: 'block_actions', action_id: ourActions }, async (args) => {
    const { value, action_ts: time } = args.action as Partial<PressedButton>;
    const button = parseButtonValue(value);
    const { data: at } = place.safeParse(args.body);
    const workspace = workspaces.of(args.body);
    if (!button || !at || !workspace) return args.ack();
    const user = args.body.user.id;
    const thread = at.container?.thread_ts ?? at.message?.thread_ts;
    const pressed = {
      ...button,
      channel: at.channel.id,
      thread,
      ...(time && { id: `${time} ${user}` }),
    };
    const asking =
      button.action === 'unhelpful' && ask(args.body.trigger_id, user, pressed, workspace);
    await Promise.all([press(user, pressed, workspace, () => args.ack()), asking]);
  });
  handleRemarks(app, async (body, pressed, ack) => {
    const workspace = workspaces.of(body);
    if (!workspace) return ack();
    await press(body.user.id, { ...pressed, action: 'unhelpful' }, workspace, ack);
  });
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
export function handleStops(app: App, workspaces: Workspaces): void {
  app.event('agent_session_stopped', async ({ event, body }) => {
    const { data } = stopped.safeParse(event);
    const workspace = workspaces.of(body);
    if (!data || !workspace) return;
    const { clients, people, addressOf, receiver, log } = workspace;
    const { channel, user, thread_ts: thread } = data;
    const by = await people.find(user);
    const told = receiver()?.stopped(addressOf(channel, thread), by);
    await Promise.all([told, endSession({ channel, thread }, { client: clients.writes, log })]);
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
export function handleCommandButtons(app: App, workspaces: Workspaces): void {
  async function press(
    { channel: { id: channel }, container, user, response_url: url }: PressedCommand,
    { value: id, text }: CommandButton,
    workspace: SlackWorkspace,
    accepted: CommandContext['accepted'],
  ): Promise<void> {
    const { runner, clients, people, files, sleep, trustedOrigins } = workspace;
    const thread = container?.thread_ts;
    const person = await people.find(user.id);
    const context = { ...createContext(person, { channel, thread }, workspace), accepted };
    const { place, at, results } = await runner.press({
      id,
      context,
      label: text?.text,
      contextIn: (place) => createContext(person, place, workspaces.at(place.workspace)),
      openFile: files.openFile,
    });
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
    const workspace = workspaces.of(args.body);
    if (!button || !body || !workspace) return args.ack();
    const { runner, running } = workspace;
    const by = toGiver(body.user, body.channel.id, workspace);
    const accepted = await runner.acceptPress(button.value, by);
    await args.ack();
    const pressed = async () => {
      try {
        await press(body, button, workspace, accepted);
      } finally {
        await accepted?.end();
      }
    };
    running.start(pressed(), 'a button');
  });
}

const remarkModalId = 'causeway_remark';
const remarkFieldId = 'remark';

/** Where “Not helpful” was pressed, and below which turn; stored in the modal's private_metadata. */
const AskedForRemark = z.object({
  turn: z.string(),
  channel: z.string(),
  thread: z.string().optional(),
});
type AskedForRemark = z.infer<typeof AskedForRemark>;

/**
 * Asks why an answer was not helpful: one line, which may stay empty. To be opened within three
 * seconds of the press.
 */
async function askForRemark(
  client: webApi.WebClient,
  trigger: string,
  pressed: AskedForRemark,
  { thread, forms }: Texts,
): Promise<void> {
  const { title, label, hint, skip } = thread.remark;
  const view: types.ModalView = {
    type: 'modal',
    callback_id: remarkModalId,
    title: plainText(title),
    submit: plainText(forms.send),
    close: plainText(skip),
    private_metadata: JSON.stringify(pressed),
    blocks: [
      {
        type: 'input',
        block_id: remarkFieldId,
        label: plainText(label),
        hint: plainText(hint),
        optional: true,
        element: {
          type: 'plain_text_input',
          action_id: remarkFieldId,
          max_length: maxRemarkLength,
        },
      },
    ],
  };
  await client.views.open({ trigger_id: trigger, view });
}

const sentRemark = z.object({
  id: z.string(),
  private_metadata: z.string().transform(parseJson).pipe(AskedForRemark),
  state: z.object({
    values: z.object({
      [remarkFieldId]: z.object({ [remarkFieldId]: z.object({ value: z.string().nullish() }) }),
    }),
  }),
});

/** Reports remarks that were sent, each as part of the press before it. */
function handleRemarks(
  app: App,
  report: (
    body: ViewSubmitAction,
    pressed: AskedForRemark & Required<Pick<ButtonPress, 'id' | 'remark'>>,
    ack: () => Promise<void>,
  ) => Promise<void>,
): void {
  app.view<ViewSubmitAction>(remarkModalId, async ({ view, body, ack }) => {
    const { data } = sentRemark.safeParse(view);
    const remark = data?.state.values[remarkFieldId][remarkFieldId].value?.trim();
    if (!data || !remark) return ack();
    const { id, private_metadata: pressed } = data;
    await report(body, { ...pressed, id, remark }, () => ack());
  });
}
