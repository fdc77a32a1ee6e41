import type { ActionContext } from '../command.ts';

/**
 * Why a person or group can't be named because the platform doesn't know them; undefined if it
 * does.
 */
export async function explainUnknown(
  { person, group }: { person: string | undefined; group?: string },
  { names, texts }: ActionContext,
): Promise<string | undefined> {
  const { noPerson, noGroup } = texts.invalid;
  const isUnknown = async (kind: 'person' | 'group', id: string | undefined) =>
    id !== undefined && (await names.nameOf(kind, id)) === undefined;
  const problems: string[] = [];
  if (await isUnknown('person', person)) problems.push(`**person**: ${noPerson}`);
  if (await isUnknown('group', group)) problems.push(`**group**: ${noGroup}`);
  return problems.length > 0 ? problems.join('\n') : undefined;
}
