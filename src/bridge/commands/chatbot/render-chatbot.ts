import type { Chatbot } from '../../../shared/api/chatbot.ts';
import type { Following } from '../../conversation/settings.ts';
import type { ChannelAccess } from '../channel-access.ts';
import type { ActionContext } from '../command.ts';
import { renderFields } from '../fields.ts';
import { escapeMarkdown } from '../markdown.ts';

/** Renders a chatbot's settings, one line each. */
export function renderChatbot(
  { meta, uuid, created_at: created, modified_at: modified }: Chatbot,
  { texts, formats }: ActionContext,
): string {
  const { fields, chatbot } = texts;
  const [messages, seconds] = meta.rate_limit ?? [];
  const rate =
    messages !== undefined && seconds !== undefined ? chatbot.rate(messages, seconds) : '';
  return renderFields([
    [fields.visibility, meta.visibility],
    [fields.rateLimit, rate],
    [fields.rateLimitMessage, escapeMarkdown(meta.rate_limit_message)],
    [fields.citations, texts.yesOrNo(meta.show_citations)],
    [fields.created, formats.time(created)],
    [fields.modified, formats.time(modified)],
    [fields.uuid, `\`${uuid}\``],
  ]);
}

/** Says what the bot answers in a channel with this setting, and what keeps it from reading it. */
export function renderFollowing(
  following: Following,
  hearing: ChannelAccess,
  { texts }: ActionContext,
): string {
  const { chatbot } = texts;
  if (hearing === 'direct') return chatbot.followingDirect;
  const isEnough = hearing === 'everything' || (hearing === 'mentions' && following === 'mentions');
  const lack = isEnough ? [] : [`⚠️ ${chatbot.hearing[hearing]}`];
  return [chatbot.following[following], ...lack].join(' ');
}
