import type { DiscordChange } from '../../discord/changes.ts';
import type { DiscordServer } from '../../discord/discord-server.ts';
import type { Subscribe } from '../events.ts';
import type { ShownChange } from '../shown.ts';
import { toCommands, toShortcuts } from './commands.ts';
import { toForm } from './form.ts';
import type { DiscordMessages } from './messages.ts';
import type { OpenForms } from './open-forms.ts';
import { toPlace, toThread } from './overview.ts';

/** Milliseconds: https://docs.discord.com/developers/resources/channel#trigger-typing-indicator. */
export const typingDurationMs = 10_000;

/** Subscribes to the server's changes as people see them. */
export function createSubscribe(
  discord: DiscordServer,
  messages: DiscordMessages,
  forms: OpenForms,
): Subscribe {
  function toShown(change: DiscordChange): ShownChange[] {
    switch (change.kind) {
      case 'message': {
        if (!messages.isSaid(change.message)) return [];
        const message = messages.show(change.message);
        if (change.event !== 'removed') return [{ kind: 'message', message }];
        const { channel, thread, id } = message;
        return [{ kind: 'removed', channel, ...(thread && { thread }), id }];
      }
      case 'typing': {
        const text = messages.activity(change.user);
        return [
          { kind: 'activity', ...messages.place(change.channel), text, lasts: typingDurationMs },
        ];
      }
      case 'channel': {
        const thread = toThread(change.channel);
        if (!thread) return [{ kind: 'channel', channel: toPlace(change.channel, discord) }];
        // The message that the thread starts from now shows a link to it.
        const opener = discord.message(thread.id);
        const isOpener = opener?.channel === thread.channel;
        const opened = isOpener
          ? [{ kind: 'message', message: messages.show(opener) } as const]
          : [];
        return [{ kind: 'thread', thread }, ...opened];
      }
      case 'modal': {
        const { modal } = change;
        return [{ kind: 'forms', user: modal.user, forms: [toForm(modal)] }];
      }
      case 'commands':
        return [
          { kind: 'commands', commands: toCommands(discord), shortcuts: toShortcuts(discord) },
        ];
      case 'gateway':
        return [{ kind: 'connections', connections: discord.gateway.connections }];
      case 'emptied':
        return [change];
    }
  }

  return (listener) => {
    const changes = discord.changes.subscribe((change) => {
      for (const shown of toShown(change)) listener(shown);
    });
    const closed = forms.subscribe((user) => listener({ kind: 'forms', user, forms: [] }));
    return () => {
      changes();
      closed();
    };
  };
}
