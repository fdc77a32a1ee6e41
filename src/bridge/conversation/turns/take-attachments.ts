import { withTimeLimit } from '../../../shared/primitives/time.ts';
import { cut } from '../../../shared/primitives/text.ts';
import { type Texts, textsFor } from '../../texts/texts.ts';
import type { Attachment } from '../chatbot.ts';
import { ChatbotError, explainError, PlatformError } from '../errors.ts';
import type { TurnRecord } from '../inbox/row.ts';
import { renderPlainText } from '../markdown/plain-text.ts';
import type { Thread } from '../thread.ts';
import type { Tools } from '../tools.ts';

/** What a question knows of its files. */
interface Taken extends Pick<TurnRecord, 'heard' | 'files' | 'documents' | 'unread'> {
  /** What is asked about files that come without words. */
  alone: string;
}

/** More files than these are named, and not read. */
const maxFiles = 10;
/** Reading one takes at most so long: the question waits. */
const maxReadMs = 120_000;
const maxShownName = 100;

/**
 * Reads the files beside a question: what is said in voice notes becomes part of it, everything else a
 * document of its session. What can't be read is named in one line. Without words, a question asks what
 * its files hold: nothing if none could be read.
 * @throws {unknown} the signal's reason when it aborts
 */
export async function takeAttachments(
  { id, files = [], author }: TurnRecord,
  thread: Thread,
  { tools, signal }: { tools: Tools; signal: AbortSignal },
): Promise<Taken> {
  const { chatbot, transcribe, log } = tools;
  const texts = textsFor(author.locale);
  const heard = new Map<Attachment, string>();
  const read: Attachment[] = [];
  const documents: string[] = [];
  const unread: string[] = [];

  async function take(file: Attachment, limited: AbortSignal): Promise<void> {
    const content = thread.readFile?.(file.ref, limited);
    if (!content) throw new Error('The platform has no files.');
    if (transcribe && file.contentType?.startsWith('audio/')) {
      heard.set(file, (await transcribe({ ...file, content }, limited)).trim());
      return;
    }
    documents.push(await chatbot.addDocument({ ...file, content }, limited));
    read.push(file);
  }

  for (const [at, file] of files.entries()) {
    try {
      if (at >= maxFiles) unread.push(toUnread(file, texts.attachments.tooMany(maxFiles)));
      else await withTimeLimit(maxReadMs, signal, (limited) => take(file, limited));
    } catch (error) {
      signal.throwIfAborted();
      log.info({ err: error, turn: id }, 'a file beside a question was not read');
      unread.push(toUnread(file, explainUnread(error, texts)));
    }
  }
  const alone = read.length > 0 ? texts.attachments.alone(read.map(({ name }) => name)) : '';
  return {
    alone,
    heard: [...heard.values()].reduce(withHeard, ''),
    // Asked again, what could not be read is tried again.
    files: files.filter((file) => !heard.has(file)),
    documents,
    unread: unread.length > 0 ? texts.attachments.unread(unread) : undefined,
  };
}

/** What a question asks by its words and what is said in its voice notes. */
export function withHeard(words = '', heard = ''): string {
  return [words, heard].filter(Boolean).join('\n\n');
}

function toUnread({ name }: Attachment, why: string): string {
  return `${renderPlainText(cut(name, maxShownName))}: ${why.replaceAll(/\s+/g, ' ')}`;
}

function explainUnread(error: unknown, texts: Texts): string {
  const { picture, sound, unsupported } = texts.attachments;
  const { kind, problem } = error instanceof ChatbotError ? error : {};
  const refused = problem?.code === 'upload_refused' ? problem.params.kind : undefined;
  if (refused === 'image') return picture;
  if (refused === 'sound') return sound;
  // A service without this operation answers as if something were missing.
  if (kind === 'not_found') return unsupported;
  // What the platform did not deliver never reached the service.
  const { cause } = Object(error) as { cause?: unknown };
  return explainError(cause instanceof PlatformError ? cause : error, texts);
}
