import type { Delivery } from './delivery.ts';
import type { InteractionPayloads } from './interaction-payloads.ts';
import type { AppManifest } from './manifest.ts';
import type { Messages } from './messages.ts';
import type { ResponseUrls } from './response-urls.ts';
import type { Wire } from './wire.ts';

/** The use of a shortcut on a message, by its callback id. */
interface ShortcutUse {
  user: string;
  channel: string;
  ts: string;
  callbackId: string;
}

/** The shortcuts in a message's menu, as people use them. */
export interface Shortcuts {
  /**
   * Uses a shortcut on a message. Resolves with whether the app acknowledged in time.
   * @throws {Error} when there is no such message, or the app's manifest has no such shortcut
   */
  shortcut(use: ShortcutUse): Promise<boolean>;
}

interface ShortcutsOptions {
  delivery: Delivery;
  manifest: AppManifest;
  messages: Messages;
  payloads: InteractionPayloads;
  responseUrls: ResponseUrls;
  wire: Wire;
}

/** docs.slack.dev/reference/interaction-payloads/shortcuts-interaction-payload. */
export function createShortcuts(options: ShortcutsOptions): Shortcuts {
  const { delivery, manifest, messages, payloads, responseUrls, wire } = options;
  return {
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
      const payload = {
        type: 'message_action',
        ...common,
        user: by,
        callback_id: callbackId,
        message_ts: ts,
        channel: payloads.channel(channel),
        message: wire.message(message),
        response_url: responseUrls.create({ user, channel, ...(thread && { thread }) }),
      };
      return (await delivery.deliverOnce({ type: 'interactive', payload })).acknowledged;
    },
  };
}
