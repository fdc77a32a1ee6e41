/** The options for an agent's settings. */
export const agentOptions = {
  name: { type: 'text', description: 'agent new name', maxLength: 200 },
  description: { type: 'text', description: 'agent description', maxLength: 2000 },
  prompt: { type: 'text', description: 'agent prompt', maxLength: 6000, multiline: true },
  model: { type: 'text', description: 'agent model', maxLength: 100 },
  temperature: { type: 'number', min: 0, max: 1, description: 'agent temperature' },
  'all-sources': { type: 'boolean', description: 'agent all-sources' },
  variables: {
    type: 'text',
    description: 'agent variables',
    maxLength: 6000,
    multiline: true,
  },
  tags: { type: 'text', description: 'agent tags', maxLength: 6000, multiline: true },
  'handover-message': {
    type: 'text',
    description: 'agent handover-message',
    maxLength: 2000,
  },
  'handover-start': { type: 'text', description: 'agent handover-start', maxLength: 2000 },
  'handover-end': { type: 'text', description: 'agent handover-end', maxLength: 2000 },
  monitored: {
    type: 'text',
    description: 'agent monitored',
    maxLength: 6000,
    multiline: true,
  },
  notifications: { type: 'boolean', description: 'agent notifications' },
  sound: { type: 'boolean', description: 'agent sound' },
} as const;
