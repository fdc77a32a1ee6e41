import { commands } from '../commands/commands.ts';
import { renderManifest } from '../slack/manifest.ts';

/**
 * The Slack app manifest for this process's commands.
 *
 * @param origin where Slack reaches the process, for events over HTTP; without it, Socket Mode
 */
export function createManifest(prefix: string, origin?: string): string {
  return renderManifest(
    { commands, prefix },
    origin ? { mode: 'http', origin } : { mode: 'socket' },
  );
}
