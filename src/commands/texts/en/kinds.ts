import type { ReferenceKind } from '../../option.ts';

export const kinds: Record<ReferenceKind, string> = {
  source: 'source',
  tag: 'tag',
  agent: 'agent',
  chatbot: 'chatbot',
  session: 'session',
};
