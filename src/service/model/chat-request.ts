import type { Refusal } from './answer-errors.ts';

/** A message for `/chat/completions`. */
export interface ChatMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
  /** A picture below the text, as a data URL. */
  image?: string;
}

export interface CompletionRequest {
  messages: ChatMessage[];
  /** Absent: the default model. */
  model?: string;
  /** Absent: the configured one, or the server's default. */
  temperature?: number;
}

/** Which parameters a model accepts, as learned from its server's refusals. */
interface RequestForm {
  temperature: boolean;
  limit: 'max_tokens' | 'max_completion_tokens' | 'none';
  stream: boolean;
  /** Whether the system prompt is a message of its own, or begins the first question. */
  systemRole: boolean;
}

export const usualForm: RequestForm = {
  temperature: true,
  limit: 'max_tokens',
  stream: true,
  systemRole: true,
};

/** The body of `/chat/completions`. */
export function toBody(
  { messages, model, temperature, maxTokens }: CompletionRequest & { maxTokens?: number },
  form: RequestForm,
): Record<string, unknown> {
  return {
    messages: (form.systemRole ? messages : withoutSystemRole(messages)).map(toWire),
    model,
    ...(form.temperature && temperature !== undefined && { temperature }),
    ...(form.limit !== 'none' && maxTokens !== undefined && { [form.limit]: maxTokens }),
    ...(form.stream && { stream: true }),
  };
}

/** Text alone is sent as a string: not every server takes parts. */
function toWire({ image, ...message }: ChatMessage): object {
  if (image === undefined) return message;
  const parts = [
    { type: 'text', text: message.content },
    { type: 'image_url', image_url: { url: image } },
  ];
  return { ...message, content: parts };
}

function withoutSystemRole(messages: readonly ChatMessage[]): ChatMessage[] {
  const [system, user, ...others] = messages;
  if (system?.role !== 'system' || user === undefined) return [...messages];
  return [{ role: 'user', content: `${system.content}\n\n${user.content}` }, ...others];
}

const limits = ['max_tokens', 'max_completion_tokens', 'none'] as const;

const streamPattern = /\bstream(?:ing)?\b.{0,60}\b(?:support|verif)|unsupported.{0,40}\bstream/is;
const systemPattern =
  /\bsystem\b.{0,40}\b(?:role|message|prompt|instruction)|\brole\b.{0,60}\bsystem\b|developer instruction/is;
const contextPattern = /context (?:length|window|size)/i;

/**
 * The form to try next, if the refusal names something that was sent in this form; otherwise undefined,
 * so that no request is repeated in vain.
 */
export function adaptForm(
  form: RequestForm,
  body: Record<string, unknown>,
  { status, detail }: Refusal,
): RequestForm | undefined {
  const isRefused = status === 400 || status === 422;
  // llama.cpp's server answers 500 if the chat template has no system role.
  const isSystemRefused = isRefused || status === 500;
  const param = readParam(detail);
  const names = (word: string, pattern = new RegExp(`\\b${word}\\b`)) =>
    param === undefined ? pattern.test(detail) : param === word;

  if (isRefused && 'temperature' in body && names('temperature')) {
    return { ...form, temperature: false };
  }
  if (isRefused && form.limit in body && names(form.limit)) {
    return { ...form, limit: limits[limits.indexOf(form.limit) + 1] ?? 'none' };
  }
  if (isRefused && 'stream' in body && names('stream', streamPattern)) {
    return { ...form, stream: false };
  }
  const isSystem =
    (param?.startsWith('messages') ?? true) &&
    systemPattern.test(detail) &&
    !contextPattern.test(detail);
  return isSystemRefused && form.systemRole && isSystem
    ? { ...form, systemRole: false }
    : undefined;
}

/** The parameter that OpenAI's error names. */
function readParam(detail: string): string | undefined {
  return /"param"\s*:\s*"([^"]{1,100})"/.exec(detail)?.[1];
}
