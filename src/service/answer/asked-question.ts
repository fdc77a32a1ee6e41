import type { Citation } from '../../api/message.ts';
import type { ChatbotRecord } from '../store/chatbot-store.ts';
import type { SessionDocumentRecord } from '../store/document-store.ts';
import type { MessageMeta, MessageRecord } from '../store/message-store.ts';
import type { SessionRecord } from '../store/session-store.ts';

/** All that an answer may draw on. */
export interface AskedQuestion {
  chatbot: ChatbotRecord;
  session: SessionRecord;
  query: string;
  documents: SessionDocumentRecord[];
  /** Someone reads the answer as it grows. */
  isWatched: boolean;
  /** The session's answered messages, oldest first. */
  history: MessageRecord[];
}

export interface AnswerOutcome {
  finishReason: 'stop' | 'length';
  /** By marker, as `1.2`. */
  citations: Record<string, Citation>;
  /** What is known of the answer at its end only. */
  meta?: Pick<MessageMeta, 'model'>;
}
