import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import type { Agent, AgentCreate, AgentUpdate } from '../../shared/api/agent.ts';
import type { ChatbotCreate } from '../../shared/api/chatbot.ts';
import { mapEach } from '../../shared/primitives/iterables.ts';
import {
  type Access,
  createAccess,
  requireRoom,
  requireSourcesOf,
  requireTagsOf,
} from '../access.ts';
import type { Handlers } from '../http/handlers.ts';
import { HttpError } from '../http-error.ts';
import { createUuid, toTimestamp } from '../identifiers.ts';
import type { Models } from '../model/models.ts';
import type { Quota } from '../quota.ts';
import type { AgentRecord, AgentSettings } from '../store/agent-store.ts';
import type { Store } from '../store/store.ts';

type AgentAnswer = z.input<typeof Agent>;

const maxAgents = 100;

/** Types of which a chatbot can have only one. */
const singleTypes = new Set<string>(['human-escalation', 'spam-defense']);

const initialSettings: AgentSettings = {
  description: '',
  prompt: '',
  bias: 0,
  stickness: 0,
  default_message: '',
  tags: [],
  variables: [],
};

const unsetEscalation = {
  human_requested_message: '',
  live_chat_start_announcement: '',
  live_chat_end_announcement: '',
  monitored_messages: [],
  notifications_enabled: false,
  sound_enabled: false,
};

const defaultPrompt =
  'You are a helpful and friendly assistant. Answer questions from the passages you are given, briefly and to the point. Say so when they do not hold the answer.';

/** The agent that every chatbot starts with: user-facing, enabled, with all sources. */
export function createDefaultAgent(
  chatbot: string,
  request: Pick<ChatbotCreate, 'model' | 'prompt' | 'temperature'>,
  createdMs: number,
): AgentRecord {
  return {
    uuid: createUuid(),
    chatbot,
    name: 'General Q&A',
    type: 'user-facing',
    enabled: true,
    useAllSources: true,
    settings: toSettings(initialSettings, {
      description: 'Answers general questions from all data sources.',
      ...request,
      prompt: request.prompt ?? defaultPrompt,
    }),
    sources: [],
    sourceTags: [],
    createdMs,
    modifiedMs: createdMs,
  };
}

/** The rules of agents. Each handler throws HttpError when it can't do its work. */
export function createAgents(parts: {
  store: Store;
  access: Access;
  quota: Pick<Quota, 'within'>;
  models: Pick<Models, 'default' | 'require'>;
  now: () => number;
}) {
  const { store, access, quota, models, now } = parts;
  /** Shown for agents without a model. */
  const { default: defaultModel } = models;

  return {
    async createAgent({ owner, params: { uuid: chatbot }, body: { meta, ...given }, signal }) {
      const request = { ...meta, ...given };
      await access.chatbot(owner, chatbot);
      if (request.model !== undefined) await models.require(request.model, signal);
      requireFitting(request.type, request);
      const agent: AgentRecord = {
        uuid: createUuid(),
        chatbot,
        name: request.name,
        type: request.type,
        enabled: false,
        useAllSources: request.use_all_sources ?? true,
        settings: toSettings(initialSettings, request),
        sources: [],
        sourceTags: [...new Set(request.source_tag_uuids)],
        createdMs: now(),
        modifiedMs: now(),
      };
      await quota.within(owner, async (tx) => {
        await createAccess(tx).chatbot(owner, chatbot);
        const others = await tx.agents.listTypes(chatbot);
        requireRoom('agent', others.length, maxAgents);
        if (singleTypes.has(request.type) && others.includes(request.type)) {
          throw new HttpError(422, { code: 'agent_exists', params: { type: request.type } });
        }
        await requireTagsOf(tx, chatbot, agent.sourceTags);
        await tx.agents.insert(agent);
      });
      return toAgent(agent, defaultModel);
    },

    async listAgents({ owner, params: { uuid: chatbot } }) {
      await access.chatbot(owner, chatbot);
      return mapEach(store.agents.each(chatbot), (agent) => toAgent(agent, defaultModel));
    },

    getAgent: async ({ owner, params }) =>
      toAgent(await access.agent(owner, params.uuid), defaultModel),

    async updateAgent({ owner, params: { uuid }, body: { meta, ...given }, signal }) {
      const known = await access.agent(owner, uuid);
      const shown: object = toAgent(known, defaultModel).meta;
      const request = { ...withoutUnchanged(meta ?? {}, shown), ...given };
      const { model, data_source_uuids, source_tag_uuids } = request;
      // A model that the agent already has stays allowed.
      if (model !== undefined && model !== known.settings.model) {
        await models.require(model, signal);
      }
      requireFitting(known.type, request);
      const changed = await quota.within(owner, async (tx) => {
        const agent = await createAccess(tx).agent(owner, uuid);
        const sources = data_source_uuids ? [...new Set(data_source_uuids)] : agent.sources;
        if (data_source_uuids) await requireSourcesOf(tx, agent.chatbot, sources);
        await requireTagsOf(tx, agent.chatbot, source_tag_uuids ?? []);
        const next: AgentRecord = {
          ...agent,
          name: request.name ?? agent.name,
          enabled: request.enabled ?? agent.enabled,
          useAllSources: request.use_all_sources ?? agent.useAllSources,
          settings: toSettings(agent.settings, request),
          sources,
          sourceTags: [...new Set(source_tag_uuids ?? agent.sourceTags)],
          modifiedMs: now(),
        };
        await tx.agents.update(agent, next);
        return next;
      });
      return toAgent(changed, defaultModel);
    },

    async deleteAgent({ owner, params: { uuid } }) {
      await store.transaction(async (tx) => {
        await createAccess(tx).agent(owner, uuid);
        await tx.agents.delete(uuid);
      });
      return { success: true };
    },
  } satisfies Partial<Handlers>;
}

/** A response shows the default model for an agent without one: sent back, it is no choice. */
function withoutUnchanged<Settings extends object>(settings: Settings, shown: object): Settings {
  const known = new Map(Object.entries(shown));
  const isChanged = ([name, value]: [string, unknown]) =>
    !isDeepStrictEqual(value, known.get(name));
  return Object.fromEntries(Object.entries(settings).filter(isChanged)) as Settings;
}

type Changes = Partial<Omit<AgentCreate, 'name' | 'type' | 'meta'>> &
  Pick<AgentUpdate, 'variables' | 'human_escalation_settings'>;

/** Variables are for user-facing agents only, tags for background ones (interface §2.2). */
function requireFitting(type: string, changes: Changes): void {
  if (type !== 'user-facing' && (changes.variables?.length ?? 0) > 0) {
    throw new HttpError(422, { code: 'variables_unfit', params: { type } });
  }
  if (type !== 'background' && toTags(changes.tags ?? []).length > 0) {
    throw new HttpError(422, { code: 'tags_unfit', params: { type } });
  }
}

function toSettings(settings: AgentSettings, changes: Changes): AgentSettings {
  const model = changes.model ?? settings.model;
  return {
    description: changes.description ?? settings.description,
    prompt: changes.prompt ?? settings.prompt,
    model,
    temperature: changes.temperature ?? settings.temperature,
    bias: changes.bias ?? settings.bias,
    stickness: changes.stickness ?? settings.stickness,
    default_message: changes.default_message ?? settings.default_message,
    tags: toTags(changes.tags ?? settings.tags),
    variables: changes.variables ?? settings.variables,
    human_escalation_settings: changes.human_escalation_settings
      ? {
          ...unsetEscalation,
          ...settings.human_escalation_settings,
          ...changes.human_escalation_settings,
        }
      : settings.human_escalation_settings,
  };
}

function toTags(tags: NonNullable<AgentCreate['tags']>): AgentSettings['tags'] {
  return Array.isArray(tags) ? tags : [tags];
}

/**
 * An agent without `human_escalation_settings` has none in any answer, also that to an update (where the
 * interface names them, §4.5): clients of the field refuse keys that they do not expect.
 */
function toAgent(agent: AgentRecord, defaultModel: string): AgentAnswer {
  const { settings } = agent;
  const { human_escalation_settings } = settings;
  return {
    uuid: agent.uuid,
    name: agent.name,
    description: settings.description,
    prompt: settings.prompt,
    type: agent.type,
    enabled: agent.enabled,
    created_at: toTimestamp(agent.createdMs),
    modified_at: toTimestamp(agent.modifiedMs),
    data_source_uuids: agent.sources,
    meta: {
      model: settings.model ?? defaultModel,
      // The interface wants a number; the field shows 0 for agents that were given none.
      temperature: settings.temperature ?? 0,
      use_all_sources: agent.useAllSources,
      tags: settings.tags,
      source_tag_uuids: agent.sourceTags,
      bias: settings.bias,
      stickness: settings.stickness,
      default_message: settings.default_message,
    },
    ...(human_escalation_settings && { human_escalation_settings }),
    tool_functions: [],
    ...(agent.type === 'user-facing' && { variables: settings.variables }),
  };
}
