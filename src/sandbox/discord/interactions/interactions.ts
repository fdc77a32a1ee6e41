import { randomBytes } from 'node:crypto';
import { createLru } from '../../../shared/primitives/cache.ts';
import type { Sleep } from '../../../shared/primitives/time.ts';
import type { Choice } from '../application-commands/command-schema.ts';
import type { ShownMessage, ShownModal } from '../changes.ts';
import type { MessageInteraction } from '../documents.ts';
import { refusal } from '../refusals.ts';

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

/** The use of a command, button or modal by a person. */
export interface InteractionDraft extends Omit<MessageInteraction, 'id' | 'type'> {
  type: InteractionType;
  channel: string;
}

/** An interaction, which the bot must acknowledge and can then respond to for a while. */
export interface Interaction extends InteractionDraft {
  id: string;
  token: string;
  createdAt: number;
  acknowledged: boolean;
  /** The response message, or the message it updates. */
  response?: string;
  /** The modal it opened, until it is submitted. */
  modal?: ShownModal;
  /** Resolves when the bot has acknowledged it or failed to. Never rejects. */
  acknowledgement: Promise<Acknowledgement>;
  settle(acknowledgement: Acknowledgement): void;
}

/** https://docs.discord.com/developers/interactions/receiving-and-responding#interaction-callback */
const acknowledgeTimeoutMs = 3_000;
const tokenLifetimeMs = 15 * 60 * 1000;
const maxKeptInteractions = 1_000;

/** The interactions of the last minutes. */
export interface Interactions {
  open(draft: InteractionDraft): Interaction;
  /**
   * One that can still be acknowledged.
   * @throws {DiscordRefusal} 10062 when there is none, 40060 when it has been acknowledged
   */
  findOpen(id: string, token: string): Interaction;
  /**
   * One whose token stands for a webhook.
   * @throws {DiscordRefusal} 50027 after 15 minutes, 10015 when it is not acknowledged
   */
  findAnswered(token: string): Interaction;
  /** An interaction by id, while it is kept. */
  find(id: string): Interaction | undefined;
  close(): void;
}

export function createInteractions(options: {
  now: () => number;
  sleep: Sleep;
  nextId: () => string;
}): Interactions {
  const { now, sleep, nextId } = options;
  const byToken = createLru<Interaction>(maxKeptInteractions);
  const closing = new AbortController();

  /** Fails the interaction for the person when its deadline passes. */
  function startDeadline(interaction: Interaction): void {
    const acknowledged = new AbortController();
    void interaction.acknowledgement.then(() => acknowledged.abort());
    const either = AbortSignal.any([acknowledged.signal, closing.signal]);
    sleep(acknowledgeTimeoutMs, either).then(
      () => interaction.settle({ kind: 'failed', reason: 'The application did not respond' }),
      () => interaction.settle({ kind: 'failed', reason: 'The sandbox has been closed' }),
    );
  }

  return {
    open(draft) {
      const { promise, resolve } = Promise.withResolvers<Acknowledgement>();
      const interaction: Interaction = {
        ...draft,
        id: nextId(),
        token: randomBytes(48).toString('base64url'),
        createdAt: now(),
        acknowledged: false,
        acknowledgement: promise,
        settle: resolve,
      };
      byToken.set(interaction.token, interaction);
      startDeadline(interaction);
      return interaction;
    },
    findOpen(id, token) {
      const interaction = byToken.get(token);
      if (!interaction || interaction.id !== id) throw refusal(10062);
      if (interaction.acknowledged) throw refusal(40060);
      if (now() - interaction.createdAt > acknowledgeTimeoutMs) throw refusal(10062);
      return interaction;
    },
    findAnswered(token) {
      const interaction = byToken.get(token);
      if (!interaction || now() - interaction.createdAt >= tokenLifetimeMs) throw refusal(50027);
      if (!interaction.acknowledged) throw refusal(10015);
      return interaction;
    },
    find: (id) => [...byToken.values()].find((interaction) => interaction.id === id),
    close: () => closing.abort(),
  };
}
