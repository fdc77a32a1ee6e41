import { z } from 'zod';
import type { Changes } from '../changes.ts';
import { modalBlocks, sameIds } from './block-validation.ts';
import { withIds } from './block.ts';
import { plainText } from './elements.ts';
import { newId, newSecret } from './identifiers.ts';
import type { SlackApp, SlackChange, SlackTeam, SlackView, ViewDefinition } from './model.ts';
import { complaints, SlackError } from './slack-error.ts';

const definition = z.strictObject({
  type: z.literal('modal'),
  title: plainText(24),
  submit: plainText(24).nullish(),
  close: plainText(24).nullish(),
  blocks: modalBlocks,
  private_metadata: z.string().max(3_000).optional(),
  callback_id: z.string().max(255).optional(),
  external_id: z.string().max(255).optional(),
  clear_on_close: z.boolean().optional(),
  notify_on_close: z.boolean().optional(),
  submit_disabled: z.boolean().optional(),
});

/**
 * Checks a modal.
 * @throws {SlackError} `invalid_arguments`, with messages that point at the field
 */
export function parseView(value: unknown): ViewDefinition {
  const found = complaints(definition, value, '/view');
  if (found.length > 0) throw new SlackError('invalid_arguments', found);
  const view = value as ViewDefinition;
  found.push(...sameIds(view.blocks, '/view/blocks'));
  if (!view.submit && view.blocks.some(({ type }) => type === 'input')) {
    found.push('[ERROR] missing required field: submit [json-pointer:/view]');
  }
  if (found.length > 0) throw new SlackError('invalid_arguments', found);
  return view;
}

/** The open modals: a stack of at most three per person. They are not stored. */
export interface Views {
  open(user: string, definition: ViewDefinition): SlackView;
  /** @throws {SlackError} `push_limit_reached` past three */
  push(user: string, definition: ViewDefinition): SlackView;
  /** @throws {SlackError} `hash_conflict` when the view changed since `hash` */
  update(view: SlackView, definition: ViewDefinition, hash?: string): SlackView;
  /** Closes a view and all views above it. */
  close(view: SlackView): void;
  clear(user: string): void;
  /** By the view's id, or the external id from the app. */
  find(id: string): SlackView | undefined;
  /** @throws {Error} when the user has no such modal open */
  reach(user: string, id: string): SlackView;
  /** The user who has the modal open. */
  owner(view: SlackView): string | undefined;
  /** A user's open modals; the last one is on top. */
  stack(user: string): SlackView[];
}

const maxStackedViews = 3;

/** Starts with no modal open. */
export function createViews(team: SlackTeam, app: SlackApp, changes: Changes<SlackChange>): Views {
  const stacks = new Map<string, SlackView[]>();
  const stack = (user: string) => stacks.get(user) ?? [];

  function put(user: string, views: SlackView[]): void {
    if (views.length > 0) stacks.set(user, views);
    else stacks.delete(user);
    changes.announce({ kind: 'modal', user, views });
  }

  function owner(view: SlackView): string | undefined {
    for (const [user, views] of stacks) if (views.some(({ id }) => id === view.id)) return user;
    return undefined;
  }

  function create(wanted: ViewDefinition, under?: SlackView): SlackView {
    const { external_id: external } = wanted;
    if (external && find(external)) throw new SlackError('duplicate_external_id');
    const id = newId('V');
    const place = { root_view_id: under?.root_view_id ?? id, previous_view_id: under?.id ?? null };
    const origin = { id, team_id: team.id, app_id: app.id, bot_id: app.botId };
    return { ...complete(wanted), ...origin, ...place };
  }

  function find(id: string): SlackView | undefined {
    return [...stacks.values()].flat().find((view) => view.id === id || view.external_id === id);
  }

  return {
    open(user, wanted) {
      const view = create(wanted);
      put(user, [view]);
      return view;
    },
    push(user, wanted) {
      const views = stack(user);
      if (views.length >= maxStackedViews) throw new SlackError('push_limit_reached');
      const view = create(wanted, views.at(-1));
      put(user, [...views, view]);
      return view;
    },
    update(view, wanted, hash) {
      const user = owner(view);
      const current = find(view.id);
      if (user === undefined || !current) throw new SlackError('not_found');
      if (hash && hash !== current.hash) throw new SlackError('hash_conflict');
      const updated: SlackView = { ...current, ...complete(wanted) };
      const views = stack(user).map((other) => (other.id === view.id ? updated : other));
      put(user, views);
      return updated;
    },
    close(view) {
      const user = owner(view);
      if (user === undefined) return;
      const below = stack(user).findIndex(({ id }) => id === view.id);
      put(user, stack(user).slice(0, below));
    },
    clear: (user) => put(user, []),
    find,
    reach(user, id) {
      const view = find(id);
      if (!view || owner(view) !== user) throw new Error(`${user} has no modal ${id} open.`);
      return view;
    },
    owner,
    stack,
  };
}

function complete(wanted: ViewDefinition) {
  return {
    private_metadata: '',
    callback_id: '',
    external_id: '',
    clear_on_close: false,
    notify_on_close: false,
    ...wanted,
    blocks: withIds(wanted.blocks),
    state: { values: {} },
    hash: newSecret(8),
  };
}
