import type { ShownMessage, ShownModal } from '../changes.ts';
import type { MessageInteraction } from '../documents.ts';
import type { Choice } from '../application-commands/command-option.ts';

/** https://docs.discord.com/developers/interactions/receiving-and-responding#interaction-object-interaction-type */
export const InteractionType = {
  Command: 2,
  Component: 3,
  Autocomplete: 4,
  ModalSubmit: 5,
} as const;
export type InteractionType = (typeof InteractionType)[keyof typeof InteractionType];

/** The bot's first response to an interaction. */
export type Acknowledgement =
  | { kind: 'message'; message: ShownMessage }
  | { kind: 'deferred'; message: ShownMessage }
  | { kind: 'deferred-update' }
  | { kind: 'updated'; message: ShownMessage }
  | { kind: 'choices'; choices: Choice[] }
  | { kind: 'modal'; modal: ShownModal }
  /** There was none within three seconds. */
  | { kind: 'failed'; reason: string };

/** The use of a command, button or form by a person. */
export interface InteractionDraft {
  type: InteractionType;
  user: string;
  channel: string;
  /** The command as people see it: `/source list`, or the name of one for messages. */
  name?: string;
  /** The message with the component; also set for a form that a component opened. */
  message?: string;
  /** The interaction that opened the form. */
  opener?: MessageInteraction;
}

/** An interaction, which the bot must acknowledge and can then respond to for a while. */
export interface Interaction extends InteractionDraft {
  id: string;
  token: string;
  createdAt: number;
  acknowledged: boolean;
  /** The response message, or the message it updates. */
  response?: string;
  /** The form it opened, until it is submitted. */
  modal?: ShownModal;
  /** Resolves when the bot has acknowledged it or failed to. Never rejects. */
  acknowledgement: Promise<Acknowledgement>;
  settle(acknowledgement: Acknowledgement): void;
}
