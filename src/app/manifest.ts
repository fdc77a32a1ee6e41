import { commands } from '../bridge/commands/commands.ts';
import type { CommandNames } from '../bridge/commands/invocation.ts';
import { renderManifest } from '../bridge/slack/manifest.ts';

/**
 * The Slack app manifest for this process's commands.
 *
 * @param mode where Slack reaches the process, for events over HTTP; without an origin, Socket Mode
 */
export function createManifest(
  names: CommandNames,
  { origin, agentView }: { origin?: string; agentView?: boolean } = {},
): string {
  const mode = origin ? ({ mode: 'http', origin } as const) : ({ mode: 'socket' } as const);
  return renderManifest({ commands, names }, { ...mode, agentView });
}
