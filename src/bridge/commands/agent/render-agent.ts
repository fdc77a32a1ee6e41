import type { Agent } from '../../../shared/api/agent.ts';
import type { ActionContext } from '../command.ts';
import { renderFields } from '../fields.ts';
import { escapeMarkdown, quote } from '../markdown.ts';
import { settingsOf } from './settings.ts';

/** Renders an agent in one line. */
export function renderAgentLine(agent: Agent, { texts }: ActionContext): string {
  const { name, type, enabled, meta } = agent;
  const state = enabled ? `🟢 ${texts.agent.enabled}` : `⚪ ${texts.agent.disabled}`;
  return `**${escapeMarkdown(name)}** · ${type} · ${state} · ${escapeMarkdown(meta.model)}`;
}

/** Renders all settings of an agent, with its prompt in full or shortened. */
export function renderAgent(
  agent: Agent,
  { sources, prompt }: { sources: readonly string[]; prompt: string },
  context: ActionContext,
): string {
  const { texts, formats } = context;
  const { fields } = texts;
  const { human_escalation_settings: handover } = settingsOf(agent);
  const details = renderFields([
    [fields.description, escapeMarkdown(agent.description)],
    [fields.temperature, formats.number(agent.meta.temperature)],
    [
      fields.sources,
      agent.meta.use_all_sources
        ? texts.agent.allSources
        : sources.join(', ') || texts.agent.noSources,
    ],
    [
      fields.variables,
      agent.variables.map(({ name, type }) => `${escapeMarkdown(name)} (${type})`).join(', '),
    ],
    [fields.tags, agent.meta.tags.map(({ name }) => escapeMarkdown(name)).join(', ')],
    [fields.handoverMessage, escapeMarkdown(handover.human_requested_message)],
    [fields.handoverStart, escapeMarkdown(handover.live_chat_start_announcement)],
    [fields.handoverEnd, escapeMarkdown(handover.live_chat_end_announcement)],
    [fields.monitored, handover.monitored_messages.map(escapeMarkdown).join(', ')],
    [fields.notifications, texts.yesOrNo(handover.notifications_enabled)],
    [fields.sound, texts.yesOrNo(handover.sound_enabled)],
    [fields.created, formats.time(agent.created_at)],
    [fields.modified, formats.time(agent.modified_at)],
    [fields.uuid, `\`${agent.uuid}\``],
  ]);
  const quoted = prompt ? [quote(prompt)] : [];
  return [renderAgentLine(agent, context), details, ...quoted].join('\n\n');
}
