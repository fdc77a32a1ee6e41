import type { ReferenceKind } from '../../option.ts';

export const kinds: Record<ReferenceKind, { none: string; several: string }> = {
  source: { none: 'keine Quelle', several: 'mehrere Quellen' },
  tag: { none: 'kein Schlagwort', several: 'mehrere Schlagwörter' },
  agent: { none: 'keinen Agenten', several: 'mehrere Agenten' },
  chatbot: { none: 'keinen Chatbot', several: 'mehrere Chatbots' },
  session: { none: 'keine Sitzung', several: 'mehrere Sitzungen' },
};
