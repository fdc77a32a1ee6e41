import type { Log } from '../../conversation/ports.ts';
import { cut } from '../../../shared/primitives/shorten.ts';
import type { AuditChannel } from './audit-channel.ts';
import type { Change, CommandContext } from '../command.ts';

/** Longer texts are cut. */
const maxTextLength = 500;
const maxItems = 50;

/**
 * Records changes in the audit log, one line each with who, where, what, before and after, and in
 * the workspace's audit channel.
 */
export function createAudit(
  log: Log,
  channel: AuditChannel,
): (context: CommandContext, command: string, change: Change) => void {
  return (context, command, change) => {
    logChange(log, context, command, change);
    channel.tell(context, command, change);
  };
}

function logChange(
  log: Log,
  { requester, platform, workspace, channel }: CommandContext,
  command: string,
  { what, before, after }: Change,
): void {
  log.info(
    {
      audit: command,
      who: { id: requester.id, name: requester.name },
      where: { platform, workspace, channel },
      what,
      ...(before && { before: shortened(before) }),
      ...(after && { after: shortened(after) }),
    },
    'a change by command',
  );
}

function shortened(value: unknown): unknown {
  if (typeof value === 'string' && value.length > maxTextLength) {
    return `${cut(value, maxTextLength)}… (${value.length} characters)`;
  }
  if (Array.isArray(value)) {
    const items = value.slice(0, maxItems).map(shortened);
    return value.length > maxItems ? [...items, `… (${value.length} items)`] : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shortened(each)]));
}
