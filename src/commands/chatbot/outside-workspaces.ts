import type { CommandContext } from '../command.ts';

/** Whether a command was used in a direct message outside any workspace, as on Discord. */
export function isOutsideWorkspaces({ workspace }: Pick<CommandContext, 'workspace'>): boolean {
  return workspace === 'dm';
}
