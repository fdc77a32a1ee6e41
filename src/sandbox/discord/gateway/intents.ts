/** https://docs.discord.com/developers/events/gateway#gateway-intents */
export const Intent = {
  /** Sent to every session. */
  Always: 0,
  Guilds: 1 << 0,
  GuildMembers: 1 << 1,
  GuildMessages: 1 << 9,
  GuildMessageTyping: 1 << 11,
  DirectMessages: 1 << 12,
  DirectMessageTyping: 1 << 14,
  MessageContent: 1 << 15,
} as const;

/** Every intent Discord knows; any other bit closes the connection with 4013. */
export const knownIntents = 0xffff | (1 << 16) | (0b11 << 20) | (0b11 << 24);

/** Something to tell the bot's sessions. */
export interface GatewayEvent {
  name: string;
  data: object;
  /** The intent that asks for it. */
  intent: number;
  /** What sessions without the message content intent get instead. */
  concealed?: object;
}

/** What a session with the given intents is told of an event: nothing when it did not ask for it. */
export function selectData(event: GatewayEvent, intents: number): object | undefined {
  if (event.intent !== Intent.Always && !(intents & event.intent)) return undefined;
  return intents & Intent.MessageContent ? event.data : (event.concealed ?? event.data);
}
