import type { ReferenceKind } from '../../option.ts';

export const kinds: Record<ReferenceKind, { the: string; none: string; several: string }> = {
  source: { the: 'Die Quelle', none: 'keine Quelle', several: 'mehrere Quellen' },
  tag: { the: 'Das Schlagwort', none: 'kein Schlagwort', several: 'mehrere Schlagwörter' },
  agent: { the: 'Der Agent', none: 'keinen Agenten', several: 'mehrere Agenten' },
  chatbot: { the: 'Der Chatbot', none: 'keinen Chatbot', several: 'mehrere Chatbots' },
  session: { the: 'Die Sitzung', none: 'keine Sitzung', several: 'mehrere Sitzungen' },
};
