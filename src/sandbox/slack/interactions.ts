import { type Block, type BlockElement, elementsOf } from './block.ts';
import type { SlackMessage } from './model.ts';
import type { Parts } from './parts.ts';
import { toViewValues } from './view-state.ts';

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

/** The use of a shortcut on a message, by its callback id. */
interface ShortcutUse {
  user: string;
  channel: string;
  ts: string;
  callbackId: string;
}

/** Buttons, other controls and shortcuts, as people use them. */
export interface Interactions {
  /**
   * Presses a button or chooses something. Resolves with whether the app acknowledged in time.
   * @throws {Error} when there is no such message, modal or control
   */
  press(press: Press): Promise<boolean>;
  /**
   * Uses a shortcut in a message's menu. Resolves with whether the app acknowledged in time.
   * @throws {Error} when there is no such message, or the app's manifest has no such shortcut
   */
  shortcut(use: ShortcutUse): Promise<boolean>;
  /**
   * Presses Slack's own button to stop an agent: stops what the app streams into a thread and tells
   * the app. The session stays `processing` until the app says otherwise.
   * @throws {Error} when nothing is processing, for then there is no button
   */
  stop(at: { user: string; channel: string; thread: string }): void;
}

/** docs.slack.dev/reference/interaction-payloads. */
export function createInteractions(parts: Parts): Interactions {
  const { directory, messages, ephemerals, streams, views, sessions } = parts;
  const { timestamps, manifest, wire, delivery, sendEvent, payloads, responseUrls } = parts;

  function inMessage(user: string, channel: string, ts: string) {
    const whispered = ephemerals.find(channel, ts);
    const message = whispered ?? messages.find(channel, ts);
    if (!message) throw new Error(`There is no message ${ts} in ${channel}.`);
    const { blocks = [], thread_ts: thread } = message;
    const container = { message_ts: ts, channel_id: channel, thread_ts: thread };
    return {
      blocks,
      about: {
        container: { type: 'message', ...container, is_ephemeral: whispered !== undefined },
        channel: payloads.channel(channel),
        message: whispered ? undefined : wire.message(message as SlackMessage),
        state: { values: toViewValues(blocks.filter(isInput), {}) },
        response_url: responseUrls.create({ user, channel, thread, original: ts }),
      },
    };
  }

  function inView(user: string, id: string) {
    const view = views.reach(user, id);
    const state = { values: toViewValues(view.blocks.filter(isInput), {}) };
    const container = { type: 'view', view_id: view.id };
    return { blocks: view.blocks, about: { view: { ...view, state }, container } };
  }

  async function deliver(payload: object): Promise<boolean> {
    return (await delivery.deliverOnce({ type: 'interactive', payload })).acknowledged;
  }

  return {
    async press(press) {
      const { blocks, about } = press.view
        ? inView(press.user, press.view)
        : inMessage(press.user, press.channel ?? '', press.ts ?? '');
      const { block, element } = findElement(blocks, press);
      const action = {
        ...toAction(element, press.value),
        block_id: block.block_id,
        action_ts: timestamps.next(),
      };
      const common = payloads.common(press.user);
      return deliver({ type: 'block_actions', ...common, ...about, actions: [action] });
    },

    async shortcut({ user, channel, ts, callbackId }) {
      const message = messages.find(channel, ts);
      if (!message) throw new Error(`There is no message ${ts} in ${channel}.`);
      const known = manifest.shortcuts().map((shortcut) => shortcut.callbackId);
      if (!known.includes(callbackId)) {
        const there = known.join(', ') || 'none';
        throw new Error(`The app has no shortcut "${callbackId}". Available: ${there}.`);
      }
      const { thread_ts: thread } = message;
      const { api_app_id: _app, ...common } = payloads.common(user);
      const { username: _username, ...by } = common.user;
      return deliver({
        type: 'message_action',
        ...common,
        user: by,
        callback_id: callbackId,
        message_ts: ts,
        channel: payloads.channel(channel),
        message: wire.message(message),
        response_url: responseUrls.create({ user, channel, thread }),
      });
    },

    stop({ user, channel, thread }) {
      if (!directory.channel(channel)?.members.includes(user)) {
        throw new Error(`${user} is not in the channel ${channel}.`);
      }
      if (sessions.find(channel, thread)?.status !== 'processing') {
        throw new Error(`There is nothing to stop in the thread ${thread}.`);
      }
      const replies = [...messages.oldest({ channel, thread })];
      const open = replies.filter((message) => streams.isOpen(message));
      for (const message of open) streams.interrupt(message);
      // docs.slack.dev/reference/events/agent_session_stopped
      sendEvent({
        type: 'agent_session_stopped',
        channel,
        user,
        thread_ts: thread,
        streaming_message_ts: open.map(({ ts }) => ts),
        event_ts: timestamps.next(),
      });
    },
  };
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
