import type { SlackChange } from '../../slack/model.ts';
import type { SlackWorkspace } from '../../slack/slack-workspace.ts';
import type { Subscribe } from '../events.ts';
import type { Form, ShownChange } from '../shown.ts';
import { toForm } from './form.ts';
import type { SlackMessages } from './messages.ts';
import { toPlace } from './overview.ts';

/** Milliseconds: https://docs.slack.dev/reference/methods/assistant.threads.setStatus. */
export const statusDurationMs = 120_000;

/** Subscribes to the workspace's changes as people see them. */
export function createSubscribe(slack: SlackWorkspace, messages: SlackMessages): Subscribe {
  function toShown(change: SlackChange): ShownChange {
    switch (change.kind) {
      case 'message':
        return { kind: 'message', message: messages.show(change.message) };
      case 'ephemeral':
        return { kind: 'message', message: messages.showHidden(change.message) };
      case 'removed': {
        const { channel, thread, message, stub } = change;
        if (stub) return { kind: 'message', message: messages.show(stub) };
        return { kind: 'removed', channel, ...(thread && { thread }), id: message.ts };
      }
      case 'ephemeral-removed':
        return { kind: 'removed', channel: change.channel, id: change.ts };
      case 'status': {
        const { channel, thread } = change;
        const text = messages.activity(channel, thread);
        return { kind: 'activity', channel, thread, text, lasts: statusDurationMs };
      }
      case 'session': {
        const { channel, thread, status } = change;
        return { kind: 'working', channel, thread, stoppable: status === 'processing' };
      }
      case 'modal':
        return { kind: 'forms', user: change.user, forms: openForms(slack, change.user) };
      case 'channel':
        return { kind: 'channel', channel: toPlace(change.channel, slack) };
      case 'connections':
        return { kind: 'connections', connections: change.count };
      case 'emptied':
        return change;
    }
  }

  return (listener) => slack.changes.subscribe((change) => listener(toShown(change)));
}

/** The modals a person has open; the last one is on top. */
export function openForms(slack: SlackWorkspace, user: string): Form[] {
  return slack.modals(user).map((view) => toForm(view, slack));
}
