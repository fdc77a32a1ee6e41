import type { ShownMessage, ShownModal } from '../changes.ts';
import type { Choice } from '../application-commands/command-option.ts';

/** https://docs.discord.com/developers/interactions/receiving-and-responding#interaction-object-interaction-type */
export const InteractionType = {
  Command: 2,
  Component: 3,
  Autocomplete: 4,
  ModalSubmit: 5,
} as const;
export type InteractionType = (typeof InteractionType)[keyof typeof InteractionType];

/** How the bot first answered what a person did. */
export type Acknowledgement =
  | { kind: 'message'; message: ShownMessage }
  | { kind: 'deferred'; message: ShownMessage }
  | { kind: 'deferred-update' }
  | { kind: 'updated'; message: ShownMessage }
  | { kind: 'choices'; choices: Choice[] }
  | { kind: 'modal'; modal: ShownModal }
  /** It did not within three seconds. */
  | { kind: 'failed'; reason: string };

/** What a person does with the bot's commands, buttons and forms. */
export interface InteractionDraft {
  type: InteractionType;
  user: string;
  channel: string;
  /** The command's name. */
  name?: string;
  /** The message with the component, also of a form a component opened. */
  message?: string;
}

/** What a person did, which the bot must acknowledge and may answer for a while. */
export interface Interaction extends InteractionDraft {
  id: string;
  token: string;
  createdAt: number;
  acknowledged: boolean;
  /** The message its answer is, or the one it updates. */
  response?: string;
  /** The form it opened, until that is sent. */
  modal?: ShownModal;
  /** Resolves, never rejects, once the bot has acknowledged it or failed to. */
  acknowledgement: Promise<Acknowledgement>;
  settle(acknowledgement: Acknowledgement): void;
}
