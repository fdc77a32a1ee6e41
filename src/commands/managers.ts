import type { Author } from '../conversation/ports.ts';

/** Whether a person may do what only managers may, by the platform or by being named. */
export function createManagers(named: readonly string[]): (person: Author) => boolean {
  const ids = new Set(named);
  return ({ id, isManager }) => isManager || ids.has(id);
}
