import { commands } from '../commands/commands.ts';
import type { CommandNames } from '../commands/command-names.ts';
import { renderManifest } from '../slack/manifest.ts';

/**
 * The Slack app manifest for this process's commands.
 *
 * @param origin where Slack reaches the process, for events over HTTP; without it, Socket Mode
 */
export function createManifest(names: CommandNames, origin?: string): string {
  return renderManifest(
    { commands, names },
    origin ? { mode: 'http', origin } : { mode: 'socket' },
  );
}
