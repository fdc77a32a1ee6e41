import { english } from '../../messages/messages.ts';

const says = english.descriptions;

/** What can be set of an agent. */
export const agentOptions = {
  name: { type: 'text', description: says['agent new name'], maxLength: 200 },
  description: { type: 'text', description: says['agent description'], maxLength: 2000 },
  prompt: { type: 'text', description: says['agent prompt'], maxLength: 6000, multiline: true },
  model: { type: 'text', description: says['agent model'], maxLength: 100 },
  temperature: { type: 'number', min: 0, max: 1, description: says['agent temperature'] },
  'all-sources': { type: 'boolean', description: says['agent all-sources'] },
  variables: {
    type: 'text',
    description: says['agent variables'],
    maxLength: 6000,
    multiline: true,
  },
  tags: { type: 'text', description: says['agent tags'], maxLength: 6000, multiline: true },
  'handover-message': {
    type: 'text',
    description: says['agent handover-message'],
    maxLength: 2000,
  },
  'handover-start': { type: 'text', description: says['agent handover-start'], maxLength: 2000 },
  'handover-end': { type: 'text', description: says['agent handover-end'], maxLength: 2000 },
  monitored: {
    type: 'text',
    description: says['agent monitored'],
    maxLength: 6000,
    multiline: true,
  },
  notifications: { type: 'boolean', description: says['agent notifications'] },
  sound: { type: 'boolean', description: says['agent sound'] },
} as const;
