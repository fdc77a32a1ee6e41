import type { ActionContext, CommandContext } from './command.ts';
import { escapeMarkdown } from './markdown.ts';
import type { NamedKind } from './names.ts';

/** Someone who was named as a manager, and by whom: the environment, or a command here. */
export interface NamedManager {
  id: string;
  kind: Exclude<NamedKind, 'channel'>;
  /** For Markdown; absent where the platform no longer knows it. */
  name?: string;
  by: 'environment' | 'command';
}

/** Naming more people than this takes longer to read than asking one. */
const maxNamed = 8;

/** Everyone who was named as a manager here, groups first; of the environment's, those of this platform. */
export async function listNamedManagers(context: ActionContext): Promise<NamedManager[]> {
  const { managers, settings } = context;
  const here = (await settings.of(context)).managers;
  const named = await Promise.all([
    ...managers.named.map(async (id) => {
      // Ids of people and groups, of several platforms even, stand in one list.
      const group = await toNamed('group', id, 'environment', context);
      return group.name === undefined ? toNamed('person', id, 'environment', context) : group;
    }),
    ...here.groups.map((id) => toNamed('group', id, 'command', context)),
    ...here.people.map((id) => toNamed('person', id, 'command', context)),
  ]);
  return named
    .filter(({ by, name }) => by === 'command' || name !== undefined)
    .toSorted((a, b) => a.kind.localeCompare(b.kind));
}

/** The named managers for a sentence, or '' where there are none, or so many that it says nothing. */
export async function whoManages(context: ActionContext): Promise<string> {
  const { people, groups } = (await context.settings.of(context)).managers;
  if (people.length + groups.length > maxNamed) return '';
  const named = await listNamedManagers(context);
  const names = new Set(named.flatMap(({ name }) => name ?? []));
  return names.size > maxNamed ? '' : [...names].join(', ');
}

async function toNamed(
  kind: NamedManager['kind'],
  id: string,
  by: NamedManager['by'],
  { names }: CommandContext,
): Promise<NamedManager> {
  const name = await names.nameOf(kind, id);
  return { id, kind, by, ...(name !== undefined && { name: escapeMarkdown(name) }) };
}
