import type { Changes } from '../../changes.ts';
import type { DiscordChange, ShownModal } from '../../discord/changes.ts';

/**
 * The forms people have open: one per person, the last one the bot opened, as in Discord's client.
 */
export interface OpenForms {
  of(user: string): ShownModal[];
  /** Closes a form; false if it was not open. */
  close(user: string, form: string): boolean;
  /**
   * Calls the listener with the person whose form closes, until the returned function is called.
   */
  subscribe(listener: (user: string) => void): () => void;
  end(): void;
}

export function createOpenForms(changes: Changes<DiscordChange>): OpenForms {
  const open = new Map<string, ShownModal>();
  const listeners = new Set<(user: string) => void>();
  const unsubscribe = changes.subscribe((change) => {
    if (change.kind === 'modal') open.set(change.modal.user, change.modal);
  });
  return {
    of(user) {
      const form = open.get(user);
      return form ? [form] : [];
    },
    close(user, form) {
      if (open.get(user)?.id !== form) return false;
      open.delete(user);
      for (const listener of listeners) listener(user);
      return true;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    end: unsubscribe,
  };
}
