import { isOutsideWorkspaces } from '../../conversation/address.ts';
import { followings } from '../../conversation/settings.ts';
import { type ActionContext, defineAction } from '../command.ts';
import { tenantKey } from '../registry/registry-chatbots.ts';
import { escapeMarkdown } from '../markdown.ts';
import { renderFollowing } from './render-chatbot.ts';
import { chatbotOption } from './settings.ts';

export const use = defineAction({
  description: 'chatbot use',
  shownTo: 'channel',
  managersOnly: true,
  options: {
    chatbot: { ...chatbotOption, required: true },
    where: {
      type: 'choice',
      choices: ['channel', 'workspace'],
      description: 'chatbot where',
    },
  },
  async *run(context, { chatbot, where = 'channel' }) {
    if (where === 'workspace' && isOutsideWorkspaces(context)) {
      yield context.texts.chatbot.noWorkspace;
      return;
    }
    const before = await context.bindings.chatbotFor(context);
    await context.bindings.bind(context, where, chatbot.uuid);
    await context.registry.remember('chatbot', await tenantKey(context), chatbot);
    context.changed({
      what: { uuid: chatbot.uuid, name: chatbot.name },
      before: { chatbot: before },
      after: { chatbot: chatbot.uuid, scope: where },
    });
    yield `✅ ${await renderUse(where, `**${escapeMarkdown(chatbot.name)}**`, context)}`;
  },
});

export const follow = defineAction({
  description: 'chatbot follow',
  shownTo: 'channel',
  managersOnly: true,
  options: {
    how: {
      type: 'choice',
      choices: followings,
      description: 'chatbot how',
      required: true,
    },
  },
  async *run(context, { how }) {
    const { texts, channel, names } = context;
    const hearing = await context.channelAccess();
    if (hearing === 'direct') {
      yield renderFollowing(how, hearing, context);
      return;
    }
    const before = await context.settings.followingIn(context);
    await context.settings.follow(context, how);
    if (before !== how) {
      const name = await names.nameOf('channel', channel);
      context.changed({
        what: { uuid: channel, ...(name !== undefined && { name }) },
        before: { following: before },
        after: { following: how },
      });
    }
    yield `✅ ${texts.chatbot.followed}: ${renderFollowing(how, hearing, context)}`;
  },
});

/**
 * Says where the chatbot answers from now on, and what keeps the bot from reading messages there.
 */
async function renderUse(
  where: 'channel' | 'workspace',
  name: string,
  context: ActionContext,
): Promise<string> {
  const { used, hearing: lacks } = context.texts.chatbot;
  const anew = context.slash('session new');
  if (where === 'workspace') return used.workspace(name);
  const hearing = await context.channelAccess();
  if (hearing === 'direct') return used.direct(name, anew);
  const isDeaf = hearing === 'uninvited' || hearing === 'unseen';
  return isDeaf ? `${used.channel(name)} ⚠️ ${lacks[hearing]}` : used.channel(name);
}
