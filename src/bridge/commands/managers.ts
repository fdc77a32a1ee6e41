import type { CommandContext } from './command.ts';
import type { CommandTools } from './command-tools.ts';
import { escapeMarkdown } from './markdown.ts';
import type { NamedKind } from './names.ts';

/** A person or group named as manager, and where: in the environment, or by a command here. */
export interface NamedManager {
  id: string;
  kind: Exclude<NamedKind, 'channel'>;
  /** As Markdown; absent if the platform no longer knows it. */
  name?: string;
  by: 'environment' | 'command';
}

/** Where a command is used, and who manages there. */
type Context = CommandContext & Pick<CommandTools, 'managers' | 'settings'>;

/** A longer list takes more time to read than asking one of them. */
const maxNamed = 8;

/**
 * Everyone named as manager here, groups first; from the environment, only those of this platform.
 */
export async function listNamedManagers(context: Context): Promise<NamedManager[]> {
  const { managers, settings } = context;
  const here = (await settings.of(context)).managers;
  const named = await Promise.all([
    ...managers.named.map(async (id) => {
      // The list mixes ids of people and groups, and of all platforms.
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

/** The named managers as part of a sentence; '' if there are none or too many to list. */
export async function whoManages(context: Context): Promise<string> {
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
