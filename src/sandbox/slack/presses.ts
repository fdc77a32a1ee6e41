import { elementsOf, type Block, type BlockElement } from './block.ts';
import type { Delivery } from './delivery.ts';
import type { Ephemerals } from './ephemerals.ts';
import type { InteractionPayloads } from './interaction-payloads.ts';
import type { SlackMessage } from './message.ts';
import type { Messages } from './messages.ts';
import type { ResponseUrls } from './response-urls.ts';
import type { Timestamps } from './timestamps.ts';
import type { SlackView } from './view.ts';
import { toViewValues } from './view-state.ts';
import type { Views } from './views.ts';
import type { Wire } from './wire.ts';

/** A click or choice, on a message or in a modal. */
interface Press {
  user: string;
  /** The message's channel; ephemeral messages count too. */
  channel?: string;
  ts?: string;
  /** The id of the modal, if it is one. */
  view?: string;
  actionId: string;
  /** The chosen value; for buttons that share an action id, the value of the pressed one. */
  value?: string | string[];
}

/** Buttons and other controls, as people use them. */
export interface Presses {
  /**
   * Presses a button or chooses something. Resolves with whether the app acknowledged in time.
   * @throws {Error} when there is no such message, modal or control
   */
  press(press: Press): Promise<boolean>;
}

interface PressesOptions {
  delivery: Delivery;
  ephemerals: Ephemerals;
  messages: Messages;
  payloads: InteractionPayloads;
  responseUrls: ResponseUrls;
  timestamps: Timestamps;
  views: Views;
  wire: Wire;
}

/** docs.slack.dev/reference/interaction-payloads/block_actions-payload. */
export function createPresses(options: PressesOptions): Presses {
  const { delivery, ephemerals, messages, payloads, responseUrls, timestamps } = options;
  const { views, wire } = options;

  async function press(press: Press): Promise<boolean> {
    const { blocks, about } = press.view
      ? inView(press.user, press.view)
      : inMessage(press.user, press.channel ?? '', press.ts ?? '');
    const { block, element } = findElement(blocks, press);
    const action = {
      ...toAction(element, press.value),
      block_id: block.block_id,
      action_ts: timestamps.next(),
    };
    const payload = {
      type: 'block_actions',
      ...payloads.common(press.user),
      ...about,
      actions: [action],
    };
    const delivered = await delivery.deliverOnce({ type: 'interactive', payload });
    return delivered.acknowledged;
  }

  function inMessage(user: string, channel: string, ts: string) {
    const whispered = ephemerals.find(channel, ts);
    const message = whispered ?? messages.find(channel, ts);
    if (!message) throw new Error(`There is no message ${ts} in ${channel}.`);
    const { blocks = [], thread_ts: thread } = message;
    const threaded = thread ? { thread_ts: thread } : {};
    const isHidden = whispered !== undefined;
    const to = { user, channel, original: ts, ...(thread && { thread }) };
    const container = { message_ts: ts, channel_id: channel, is_ephemeral: isHidden, ...threaded };
    return {
      blocks,
      about: {
        container: { type: 'message', ...container },
        channel: payloads.channel(channel),
        ...(!isHidden && { message: wire.message(message as SlackMessage) }),
        state: { values: toViewValues(blocks.filter(isInput), {}) },
        response_url: responseUrls.create(to),
      },
    };
  }

  function inView(user: string, id: string) {
    const view = views.find(id);
    if (!view || views.owner(view) !== user) throw new Error(`${user} has no modal ${id} open.`);
    const state = { values: toViewValues(view.blocks.filter(isInput), {}) };
    const about: { view: SlackView; container: object } = {
      view: { ...view, state },
      container: { type: 'view', view_id: view.id },
    };
    return { blocks: view.blocks, about };
  }

  return { press };
}

function isInput({ type }: Block): boolean {
  return type === 'input';
}

function findElement(blocks: Block[], { actionId, value }: Press) {
  const named = elementsOf(blocks).filter(({ element }) => element.action_id === actionId);
  const found = named.find(({ element }) => element['value'] === value) ?? named[0];
  if (found) return found;
  const there = elementsOf(blocks).map(({ element }) => element.action_id);
  throw new Error(
    `No element has the action id "${actionId}". Available: ${there.join(', ') || 'none'}.`,
  );
}

function toAction(element: BlockElement, value: string | string[] | undefined): object {
  const { type, action_id, text } = element;
  if (type === 'feedback_buttons') return { type, action_id, ...toFeedback(element, value) };
  if (type === 'button' || type === 'icon_button') {
    const pressed = element['value'] ?? value;
    return { type, action_id, text, value: pressed };
  }
  const block: Block = { type: 'actions', block_id: '', elements: [element] };
  const chosen = toViewValues([block], { [action_id ?? '']: value ?? '' });
  return { ...chosen['']?.[action_id ?? ''], action_id };
}

/** Of two buttons that share an action id, the one with this value. */
function toFeedback(element: BlockElement, value: string | string[] | undefined): object {
  const { positive_button: positive, negative_button: negative } = element;
  const buttons = [positive, negative] as { text: object; value: string }[];
  const pressed = buttons.find((button) => button.value === value);
  if (pressed) return { text: pressed.text, value: pressed.value };
  const values = buttons.map((button) => `"${button.value}"`).join(' and ');
  throw new Error(`The feedback buttons only have the values ${values}.`);
}
