import { type Chatbot, defaultRateLimit } from '../../../shared/api/chatbot.ts';

export const chatbotOption = {
  type: 'reference',
  to: 'chatbot',
  description: 'chatbot name',
} as const;

export const nameOption = {
  type: 'text',
  description: 'chatbot new name',
  maxLength: 200,
} as const;

/** The settings that can be given when a chatbot is created and changed later. */
export const settingOptions = {
  visibility: {
    type: 'choice',
    choices: ['private', 'public', 'hybrid'],
    description: 'chatbot visibility',
  },
  messages: {
    type: 'number',
    min: 1,
    max: 100,
    whole: true,
    description: 'chatbot messages',
  },
  seconds: { type: 'number', min: 1, max: 360, whole: true, description: 'chatbot seconds' },
  message: { type: 'text', description: 'chatbot message', maxLength: 2000 },
  citations: { type: 'boolean', description: 'chatbot citations' },
} as const;

/** A chatbot's settings, in the shape of an update. */
export interface ChatbotSettings {
  name: string;
  visibility: 'private' | 'public' | 'hybrid';
  rate_limit: [number, number];
  rate_limit_message: string;
  show_citations: boolean;
}

/** A chatbot's current settings. */
export function settingsOf({ name, meta }: Chatbot): ChatbotSettings {
  const [messages, seconds] = meta.rate_limit ?? defaultRateLimit;
  const visibilities = settingOptions.visibility.choices;
  return {
    name,
    visibility: visibilities.find((each) => each === meta.visibility) ?? 'private',
    rate_limit: [messages ?? defaultRateLimit[0], seconds ?? defaultRateLimit[1]],
    rate_limit_message: meta.rate_limit_message,
    show_citations: meta.show_citations,
  };
}

/**
 * Converts the values of `settingOptions` to settings.
 * @param rateLimit completes a rate limit if only one of its numbers is given
 */
export function toSettings(
  given: {
    visibility: ChatbotSettings['visibility'] | undefined;
    messages: number | undefined;
    seconds: number | undefined;
    message: string | undefined;
    citations: boolean | undefined;
  },
  rateLimit: readonly [number, number],
): Partial<ChatbotSettings> {
  const { visibility, messages, seconds, message, citations } = given;
  const limited = messages !== undefined || seconds !== undefined;
  return {
    ...(visibility && { visibility }),
    ...(limited && { rate_limit: [messages ?? rateLimit[0], seconds ?? rateLimit[1]] }),
    ...(message !== undefined && { rate_limit_message: message }),
    ...(citations !== undefined && { show_citations: citations }),
  };
}

/** Settings as people type them. */
export function toTyped(present: ChatbotSettings): Record<string, string> {
  const [messages, seconds] = present.rate_limit;
  return {
    name: present.name,
    visibility: present.visibility,
    messages: String(messages),
    seconds: String(seconds),
    message: present.rate_limit_message,
    citations: String(present.show_citations),
  };
}
