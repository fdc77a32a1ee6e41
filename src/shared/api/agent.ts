import { z } from 'zod';
import {
  Flag,
  HexColor,
  LooseBoolean,
  LooseNumber,
  LooseText,
  looseList,
  Name,
  Temperature,
  Timestamp,
  Unchanged,
  unchangedFields,
  Uuid,
} from './fields.ts';

/** The values seen in the field. A request must use one of them. */
export const AgentType = z.enum([
  'user-facing',
  'background',
  'human-escalation',
  'pre-canned',
  'spam-defense',
]);
export type AgentType = z.infer<typeof AgentType>;

const Text = z.string().max(2000);

const HumanEscalationSettings = z.looseObject({
  human_requested_message: LooseText,
  live_chat_start_announcement: LooseText,
  live_chat_end_announcement: LooseText,
  monitored_messages: looseList(z.string()),
  notifications_enabled: LooseBoolean,
  sound_enabled: LooseBoolean,
});

const HumanEscalationSettingsRequest = z.strictObject({
  human_requested_message: Text.optional(),
  live_chat_start_announcement: Text.optional(),
  live_chat_end_announcement: Text.optional(),
  monitored_messages: z.array(Text).max(100).optional(),
  notifications_enabled: Flag.optional(),
  sound_enabled: Flag.optional(),
});

const AgentVariable = z.looseObject({
  name: z.string(),
  description: LooseText,
  type: LooseText,
  example: LooseText,
  default_value: z.looseObject({ content: LooseText, static: LooseNumber }).nullish(),
});

const AgentVariableRequest = z.strictObject({
  name: Name,
  description: Text,
  type: z.enum(['string', 'number', 'boolean']),
  example: Text.optional(),
  default_value: z
    .strictObject({ content: Text, static: z.int().min(0).max(1).optional() })
    .optional(),
});

/** A label that a background agent adds to conversations that meet its criteria. */
const AgentTag = z.looseObject({ name: z.string(), criteria: LooseText, color: LooseText });
const AgentTagRequest = z.strictObject({ name: Name, criteria: Text, color: HexColor });

const ToolFunction = z.looseObject({ uuid: Uuid, name: z.string() });

export const Agent = z.looseObject({
  uuid: Uuid,
  name: LooseText,
  description: LooseText,
  prompt: LooseText,
  type: z.string(),
  enabled: LooseBoolean,
  created_at: Timestamp,
  modified_at: Timestamp,
  data_source_uuids: looseList(Uuid),
  meta: z.looseObject({
    model: LooseText,
    temperature: LooseNumber,
    use_all_sources: LooseBoolean,
    tags: looseList(AgentTag),
    source_tag_uuids: looseList(Uuid),
    bias: LooseNumber,
    stickness: LooseNumber,
    default_message: LooseText,
  }),
  human_escalation_settings: HumanEscalationSettings.nullish(),
  tool_functions: looseList(ToolFunction),
  variables: looseList(AgentVariable),
});
export type Agent = z.infer<typeof Agent>;

/** `tags` is one object in the interface and a list in the field's responses; requests accept both. */
const tags = z
  .union([AgentTagRequest, z.array(AgentTagRequest).max(100)])
  .optional()
  .describe('Labels for conversations: one, or a list. For background agents only.');

function refuseRepeatedNames(
  variables: readonly { name: string }[],
  { addIssue }: z.RefinementCtx,
): void {
  const seen = new Set<string>();
  for (const [index, { name }] of variables.entries()) {
    if (seen.has(name)) {
      const message = 'is there twice: name each variable once';
      addIssue({ code: 'custom', path: [index, 'name'], message });
    }
    seen.add(name);
  }
}

/** `source_tag_uuids` is our own field: the agent also sees the sources with these source tags. */
const settings = {
  description: Text.optional(),
  prompt: z.string().max(100_000).optional(),
  model: z.string().min(1).max(100).optional(),
  temperature: Temperature.optional(),
  use_all_sources: Flag.optional(),
  source_tag_uuids: z.array(Uuid).max(1000).optional(),
  bias: z.number().min(-100).max(100).optional(),
  stickness: z.number().min(-100).max(100).optional(),
  default_message: Text.optional(),
  tags,
};

const meta = z
  .looseObject(settings)
  .optional()
  .describe('The same settings, as responses have them. Those beside it come first.');

export const AgentCreate = z.strictObject({
  name: Name,
  type: AgentType,
  ...settings,
  meta,
});
export type AgentCreate = z.infer<typeof AgentCreate>;

export const AgentUpdate = z.strictObject({
  name: Name.optional(),
  ...settings,
  enabled: Flag.optional(),
  data_source_uuids: z.array(Uuid).max(10_000).optional(),
  human_escalation_settings: HumanEscalationSettingsRequest.optional(),
  variables: z
    .array(AgentVariableRequest)
    .max(100)
    .superRefine(refuseRepeatedNames)
    .optional()
    .describe('For user-facing agents only.'),
  meta,
  ...unchangedFields,
  type: Unchanged,
  tool_functions: Unchanged,
});
export type AgentUpdate = z.infer<typeof AgentUpdate>;

export const AgentModels = z.looseObject({ models: z.array(z.string()) });
export const AgentModelCosts = z.looseObject({ model_costs: z.record(z.string(), z.number()) });

/**
 * The enabled agent with the hand-over type, whatever its settings contain. Otherwise the first
 * enabled agent with any hand-over text (docs/decisions/0011-hand-over.md).
 */
export function findHandOverAgent(agents: readonly Agent[]): Agent | undefined {
  const enabled = agents.filter((agent) => agent.enabled);
  return enabled.find(({ type }) => type === 'human-escalation') ?? enabled.find(hasHandOverTexts);
}

/** The notification switch is ignored: in the field it is often on where nothing else is set. */
function hasHandOverTexts({ human_escalation_settings: settings }: Agent): boolean {
  if (!settings) return false;
  const texts = [
    settings.human_requested_message,
    settings.live_chat_start_announcement,
    settings.live_chat_end_announcement,
    ...settings.monitored_messages,
  ];
  return texts.some((text) => text.trim() !== '');
}
