import type { ChangeableBindings } from '../conversation/bindings.ts';
import type { Managers } from '../conversation/managers.ts';
import type { Notice } from '../conversation/ports.ts';
import type { Settings } from '../conversation/settings.ts';
import type { ThreadControl } from '../conversation/thread-control.ts';
import type { Sleep } from '../primitives/sleep.ts';
import type { FileLimits } from './file-limits.ts';
import type { RegisteredClient } from './registry/registry-client.ts';
import type { Registry } from './registry/registry.ts';

/** What the commands need of the rest of the process: actions find it in their context. */
export interface CommandTools {
  client: RegisteredClient;
  registry: Registry;
  fileLimits: FileLimits;
  bindings: ChangeableBindings;
  threads: ThreadControl;
  settings: Settings;
  managers: Managers;
  /**
   * Tells people something on a platform, outside of any thread.
   * @throws {PlatformError}
   */
  notify(platform: string, notice: Notice, signal?: AbortSignal): Promise<void>;
  sleep: Sleep;
  /** Milliseconds since the epoch. */
  now: () => number;
}
