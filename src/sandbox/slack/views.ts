import type { Changes } from '../changes.ts';
import { withIds } from './block.ts';
import { newId, newSecret } from './identifiers.ts';
import type { SlackChange } from './slack-changes.ts';
import { SlackError } from './slack-error.ts';
import type { SlackView, ViewDefinition } from './view.ts';
import type { SlackApp, SlackTeam } from './workspace.ts';

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
  /** The user who has the modal open. */
  owner(view: SlackView): string | undefined;
  /** A user's open modals; the last one is on top. */
  stack(user: string): SlackView[];
}

interface ViewsOptions {
  team: SlackTeam;
  app: SlackApp;
  changes: Changes<SlackChange>;
}

const maxStackedViews = 3;

/** Starts with no modal open. */
export function createViews({ team, app, changes }: ViewsOptions): Views {
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
      put(
        user,
        stack(user).map((other) => (other.id === view.id ? updated : other)),
      );
      return updated;
    },
    close(view) {
      const user = owner(view);
      if (user === undefined) return;
      const views = stack(user);
      put(
        user,
        views.slice(
          0,
          views.findIndex(({ id }) => id === view.id),
        ),
      );
    },
    clear: (user) => put(user, []),
    find,
    owner,
    stack,
  };
}

function complete(wanted: ViewDefinition): Omit<SlackView, PlacedField> {
  return {
    private_metadata: '',
    callback_id: '',
    external_id: '',
    clear_on_close: false,
    notify_on_close: false,
    ...wanted,
    blocks: withIds(wanted.blocks, () => newSecret(3)),
    state: { values: {} },
    hash: newSecret(8),
  };
}

type PlacedField = 'id' | 'team_id' | 'app_id' | 'bot_id' | 'root_view_id' | 'previous_view_id';
