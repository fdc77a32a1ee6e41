import { isOutsideWorkspaces } from '../../conversation/address.ts';
import { type ActionContext, defineAction } from '../command.ts';
import { escapeMarkdown } from '../markdown.ts';
import { announce, renderChannel } from './workspace-settings.ts';

/**
 * `/chatbot audit`: chooses the channel in which changes are announced, and announces there when
 * that starts and ends.
 */
export const audit = defineAction({
  description: 'chatbot audit',
  shownTo: 'private',
  managersOnly: true,
  options: {
    channel: { type: 'channel', description: 'chatbot audit channel' },
    off: { type: 'boolean', description: 'chatbot audit off' },
  },
  async *run(context, { channel, off = false }) {
    const { chatbot } = context.texts;
    if (isOutsideWorkspaces(context)) {
      yield chatbot.noWorkspace;
      return;
    }
    const after = off ? undefined : channel;
    if (!off && after === undefined) {
      yield renderAudit((await context.settings.of(context)).audit, context);
      return;
    }
    if (after !== undefined) {
      const problem = await announce(context, after, chatbot.auditBegins);
      if (problem !== undefined) {
        yield problem;
        return;
      }
    }
    await changeChannel(context, after);
    yield `✅ ${await renderAudit(after, context)}`;
  },
});

async function renderAudit(channel: string | undefined, context: ActionContext): Promise<string> {
  const { auditIn, auditNowhere } = context.texts.chatbot;
  return channel === undefined ? auditNowhere : auditIn(await renderChannel(context, channel));
}

async function changeChannel(context: ActionContext, after: string | undefined): Promise<void> {
  const { audit: before } = await context.settings.change(context, (all) => ({
    ...all,
    audit: after,
  }));
  if (before === after) return;
  const nameOf = async (channel: string | undefined) =>
    channel === undefined ? 'off' : ((await context.names.nameOf('channel', channel)) ?? channel);
  context.changed({
    what: { uuid: context.workspace },
    before: { audit: await nameOf(before) },
    after: { audit: await nameOf(after) },
  });
  // People who read the channel must not mistake silence for "no changes".
  if (before !== undefined) {
    const { chatbot } = context.texts;
    await announce(context, before, chatbot.auditEnds(escapeMarkdown(context.requester.name)));
  }
}
