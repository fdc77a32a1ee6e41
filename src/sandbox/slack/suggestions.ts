import { z } from 'zod';
import { createLru } from '../../shared/primitives/cache.ts';
import { type Block, type BlockElement, elementsOf } from './block.ts';
import { option, type Option, optionGroups } from './elements.ts';
import type { SlackView } from './model.ts';
import type { Parts } from './parts.ts';
import { complaints } from './slack-error.ts';

/** A text typed into a menu with options from the app. */
interface Typing {
  user: string;
  /** The id of the modal. */
  view: string;
  actionId: string;
  typed: string;
}

/** Menus whose options the app supplies while people type. */
export interface Suggestions {
  /**
   * The app's options for a typed text; none over HTTP unless the app's manifest has a URL for them
   * (`message_menu_options_url`): slackapi/bolt-js#1479.
   * @throws {Error} when there is no such menu, the text is too short, or the app does not answer in
   * time with options that Slack accepts
   */
  suggest(typing: Typing): Promise<Option[]>;
  /** A modal's blocks, with the initial and later suggested options in its menus. */
  offeredIn(view: SlackView): Block[];
}

const maxMenus = 200;
const maxOfferedOptions = 1_000;
/** docs.slack.dev/reference/block-kit/block-elements/select-menu-element, `min_query_length`. */
const defaultMinQueryLength = 3;

const answer = z.union([
  z.object({ options: z.array(option).max(100) }),
  z.object({ option_groups: optionGroups.unwrap() }),
]);

/** docs.slack.dev/reference/interaction-payloads/block_suggestion-payload. */
export function createSuggestions(parts: Parts): Suggestions {
  const { delivery, payloads, views, link, manifest } = parts;
  const offered = createLru<Option[]>(maxMenus);

  function find({ user, view: id, actionId }: Typing) {
    const view = views.reach(user, id);
    const found = elementsOf(view.blocks).find(({ element }) => element.action_id === actionId);
    if (found && isSearched(found.element)) return { view, ...found };
    throw new Error(`The modal has no menu "${actionId}" with options from the app.`);
  }

  function keep(key: string, found: Option[]): void {
    const before = offered.get(key) ?? [];
    offered.set(key, [...before, ...found].slice(-maxOfferedOptions));
  }

  return {
    async suggest(typing) {
      const { user, typed } = typing;
      const { view, block, element } = find(typing);
      const min = Number(element['min_query_length'] ?? defaultMinQueryLength);
      if (typed.length < min) throw new Error(`Type at least ${min} characters.`);
      if (link.isHttp() && !manifest.hasOptionsUrl()) return [];
      const { trigger_id: _, ...common } = payloads.common(user);
      const payload = {
        type: 'block_suggestion',
        ...common,
        container: { type: 'view', view_id: view.id },
        action_id: element.action_id,
        block_id: block.block_id,
        value: typed,
        view,
      };
      const delivered = await delivery.deliverOnce({ type: 'interactive', payload });
      if (!delivered.acknowledged) throw new Error('The app returned no options in time.');
      const found = readOptions(delivered.response);
      keep(keyOf(view, element), found);
      return found;
    },
    offeredIn: (view) =>
      view.blocks.map((block) => {
        const element = block['element'] as BlockElement | undefined;
        if (!element || !isSearched(element)) return block;
        const initial = [element['initial_option'] ?? [], element['initial_options'] ?? []].flat();
        const known = [...initial, ...(offered.get(keyOf(view, element)) ?? [])];
        return { ...block, element: { ...element, options: known } };
      }),
  };
}

function isSearched({ type }: BlockElement): boolean {
  return type === 'external_select' || type === 'multi_external_select';
}

function keyOf(view: SlackView, element: BlockElement): string {
  return `${view.id} ${element.action_id}`;
}

function readOptions(response: unknown): Option[] {
  const { data } = answer.safeParse(response);
  if (!data) {
    const faults = complaints(z.object({ options: z.array(option).max(100) }), response, '');
    throw new Error(`The app returned options that Slack rejects: ${faults.join('; ')}`);
  }
  return 'options' in data ? data.options : data.option_groups.flatMap((group) => group.options);
}
