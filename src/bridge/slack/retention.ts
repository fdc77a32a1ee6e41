import type { Log } from '../../shared/primitives/log.ts';
import { teamsOf } from './app-events.ts';
import type { Installations } from './installations.ts';

/**
 * Deletes what is kept of workspaces that removed the app longer ago than this.
 * @param forget deletes all that is kept of a workspace
 * @throws {Error} when that fails; the next call goes on
 */
export async function forgetRemoved(
  { installations, log }: { installations: Installations; log: Log },
  { retentionMs, forget }: { retentionMs: number; forget(team: string): Promise<void> },
): Promise<void> {
  for (const kept of installations.all()) {
    const { key, removedAt = Infinity } = kept;
    if (removedAt + retentionMs > Date.now()) continue;
    for (const team of teamsOf(kept)) if (!installations.serving(team)) await forget(team);
    await installations.delete(key);
    log.info({ installation: key }, 'all that was kept of a workspace that left is deleted');
  }
}
