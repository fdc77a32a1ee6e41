import type { Citation } from '../../shared/api/message.ts';
import type { ChatbotRecord } from '../store/chatbot-store.ts';
import type { NamedDocument } from '../store/document-store.ts';
import type { MessageMeta, MessageRecord } from '../store/message-store.ts';
import type { SessionRecord } from '../store/session-store.ts';

/** The session documents of a question, by the uuids of those that it can use. */
export interface AskedDocuments {
  /** What the session remembers from earlier messages. */
  remembered: NamedDocument[];
  /** What this message names first. */
  added: NamedDocument[];
}

/** Everything that an answer can use. */
export interface AskedQuestion {
  chatbot: ChatbotRecord;
  session: SessionRecord;
  query: string;
  documents: AskedDocuments;
  /** Whether someone reads the answer as it grows. */
  isWatched: boolean;
  /** The session's last answered messages, oldest first. */
  history: MessageRecord[];
}

export interface AnswerOutcome {
  finishReason: 'stop' | 'length';
  /** By marker, such as `1.2`. */
  citations: Record<string, Citation>;
  /** Known only when the answer ends. */
  meta?: Pick<MessageMeta, 'model' | 'actual_token_distribution'>;
}
