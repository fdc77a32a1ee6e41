import type { Agent, AgentUpdate } from '../../../shared/api/agent.ts';
import { emptyWord, renderTags, renderVariables } from './structured.ts';

/** An agent's current settings, in the shape of an update. */
export function settingsOf(agent: Agent) {
  const { meta, human_escalation_settings: escalation } = agent;
  return {
    name: agent.name,
    description: agent.description,
    prompt: agent.prompt,
    model: meta.model,
    temperature: meta.temperature,
    use_all_sources: meta.use_all_sources,
    enabled: agent.enabled,
    data_source_uuids: agent.data_source_uuids,
    variables: agent.variables.map(
      ({ name, description, type, example, default_value: value }) => ({
        name,
        type: type === 'number' || type === 'boolean' ? type : ('string' as const),
        description,
        ...(example && { example }),
        ...(value && { default_value: { content: value.content, static: value.static } }),
      }),
    ),
    tags: meta.tags.map(({ name, color, criteria }) => ({ name, color, criteria })),
    human_escalation_settings: {
      human_requested_message: escalation?.human_requested_message ?? '',
      live_chat_start_announcement: escalation?.live_chat_start_announcement ?? '',
      live_chat_end_announcement: escalation?.live_chat_end_announcement ?? '',
      monitored_messages: escalation?.monitored_messages ?? [],
      notifications_enabled: escalation?.notifications_enabled ?? false,
      sound_enabled: escalation?.sound_enabled ?? false,
    },
  } satisfies AgentUpdate;
}

/** An agent's settings as people type them, for a form's initial values. */
export function typedSettings(agent: Agent): Record<string, string> {
  const { human_escalation_settings: escalation, ...settings } = settingsOf(agent);
  return {
    name: settings.name,
    description: settings.description,
    prompt: settings.prompt,
    model: settings.model,
    temperature: String(settings.temperature),
    'all-sources': String(settings.use_all_sources),
    variables: renderVariables(agent),
    tags: renderTags(agent),
    'handover-message': escalation.human_requested_message,
    'handover-start': escalation.live_chat_start_announcement,
    'handover-end': escalation.live_chat_end_announcement,
    monitored: escalation.monitored_messages.join('\n'),
    notifications: String(escalation.notifications_enabled),
    sound: String(escalation.sound_enabled),
  };
}

/** Parses a text that can be cleared. */
export function emptied(text: string): string {
  return text.trim().toLowerCase() === emptyWord ? '' : text;
}
