import type { CommandContext } from '../command.ts';

/** Whether a command was used in a direct message that belongs to no workspace, as those of Discord do. */
export function isOutsideWorkspaces({ workspace }: Pick<CommandContext, 'workspace'>): boolean {
  return workspace === 'dm';
}
