import type { Citation } from '../../api/message.ts';
import type { ChatbotRecord } from '../store/chatbot-store.ts';
import type { SessionDocumentRecord } from '../store/document-store.ts';
import type { MessageMeta, MessageRecord } from '../store/message-store.ts';
import type { SessionRecord } from '../store/session-store.ts';

/** Everything that an answer can use. */
export interface AskedQuestion {
  chatbot: ChatbotRecord;
  session: SessionRecord;
  query: string;
  documents: SessionDocumentRecord[];
  /** Whether someone reads the answer as it grows. */
  isWatched: boolean;
  /** The session's answered messages, oldest first. */
  history: MessageRecord[];
}

export interface AnswerOutcome {
  finishReason: 'stop' | 'length';
  /** By marker, such as `1.2`. */
  citations: Record<string, Citation>;
  /** Known only when the answer ends. */
  meta?: Pick<MessageMeta, 'model'>;
}
