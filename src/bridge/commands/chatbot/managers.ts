import type { WorkspaceSettings } from '../../conversation/settings.ts';
import {
  type ActionContext,
  defineAction,
  type CommandContext,
  type CommandTools,
  type NamedKind,
} from '../command.ts';
import { explainUnknown } from './workspace-settings.ts';
import { escapeMarkdown } from '../../conversation/markdown/plain-text.ts';

/** Max people and groups named per workspace. */
const maxNamed = 50;

type Named = WorkspaceSettings['managers'];

/** `/chatbot managers`: who manages here; the platform's own managers always do. */
export const managers = defineAction({
  description: 'chatbot managers',
  shownTo: 'private',
  managersOnly: true,
  inWorkspace: true,
  options: {
    person: { type: 'person', description: 'chatbot manager person' },
    group: { type: 'group', description: 'chatbot manager group' },
    remove: { type: 'boolean', description: 'chatbot manager remove' },
  },
  async run(context, { person, group, remove = false }) {
    const { chatbot } = context.texts;
    if (person === undefined && group === undefined) return renderManagers(context);
    const problem = remove ? undefined : await explainUnknown({ person, group }, context);
    if (problem !== undefined) return problem;
    const given: Named = { people: [person ?? []].flat(), groups: [group ?? []].flat() };
    const wanted = (present: Named) => (remove ? without(present, given) : united(present, given));
    const isTooMany = (named: Named) => !remove && countOf(named) > maxNamed;
    const { managers: before } = await context.settings.change(context, (all) => {
      const managers = wanted(all.managers);
      return isTooMany(managers) ? all : { ...all, managers };
    });
    const after = wanted(before);
    if (isTooMany(after)) return chatbot.tooManyManagers(maxNamed);
    const changed = remove ? without(before, after) : without(after, before);
    await note(context, changed, !remove);
    const outcome = countOf(changed) > 0 ? `✅ ${chatbot.managersSaved}` : chatbot.managersSame;
    return `${outcome}\n\n${await renderManagers(context)}`;
  },
});

function united(named: Named, more: Named): Named {
  return {
    people: [...new Set([...named.people, ...more.people])],
    groups: [...new Set([...named.groups, ...more.groups])],
  };
}

function without(named: Named, less: Named): Named {
  return {
    people: named.people.filter((id) => !less.people.includes(id)),
    groups: named.groups.filter((id) => !less.groups.includes(id)),
  };
}

function countOf({ people, groups }: Named): number {
  return people.length + groups.length;
}

async function note(context: ActionContext, changed: Named, manages: boolean): Promise<void> {
  const ids = [
    ...changed.people.map((id) => ({ kind: 'person', id }) as const),
    ...changed.groups.map((id) => ({ kind: 'group', id }) as const),
  ];
  for (const { kind, id } of ids) {
    const name = await context.names.nameOf(kind, id);
    context.changed({
      what: { uuid: id, name },
      before: { manages: !manages },
      after: { manages },
    });
  }
}

async function renderManagers(context: ActionContext): Promise<string> {
  const { chatbot } = context.texts;
  const named = await listNamedManagers(context);
  const lines = named.map(({ id, name = `\`${id}\``, by }) => `- ${name} · ${chatbot.namedBy[by]}`);
  return [`**${chatbot.managersHere}**`, `- ${chatbot.platformManagers}`, ...lines].join('\n');
}

/** A person or group named as manager, and where: in the environment, or by a command here. */
interface NamedManager {
  id: string;
  kind: Exclude<NamedKind, 'channel'>;
  /** As Markdown; absent if the platform no longer knows it. */
  name?: string;
  by: 'environment' | 'command';
}

/** Where a command is used, and who manages there. */
type Context = CommandContext & Pick<CommandTools, 'managers' | 'settings'>;

/** A longer list takes more time to read than asking one of them. */
const maxListed = 8;

/**
 * Everyone named as manager here, groups first; from the environment, only those of this platform.
 */
async function listNamedManagers(context: Context): Promise<NamedManager[]> {
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
  if (people.length + groups.length > maxListed) return '';
  const named = await listNamedManagers(context);
  const names = new Set(named.flatMap(({ name }) => name ?? []));
  return names.size > maxListed ? '' : [...names].join(', ');
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
