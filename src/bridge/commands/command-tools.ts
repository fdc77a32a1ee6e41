import type { Access } from '../conversation/access.ts';
import type { ChangeableBindings } from '../conversation/bindings.ts';
import type { Managers } from '../conversation/managers.ts';
import type { Notice } from '../conversation/ports.ts';
import type { Settings } from '../conversation/settings.ts';
import type { Tenancy } from '../conversation/tenancy.ts';
import type { ThreadControl } from '../conversation/thread-control.ts';
import type { Sleep } from '../../shared/primitives/sleep.ts';
import type { FileLimits } from './file-limits.ts';
import type { RegisteredClient } from './registry/registry-client.ts';
import type { Registry } from './registry/registry.ts';

/** What commands need from the rest of the process; part of every action's context. */
export interface CommandTools {
  client: RegisteredClient;
  registry: Registry;
  fileLimits: FileLimits;
  bindings: ChangeableBindings;
  threads: ThreadControl;
  settings: Settings;
  managers: Managers;
  access: Access;
  tenancy: Tenancy;
  /**
   * Posts a notice on a platform, outside any thread.
   * @throws {PlatformError}
   */
  notify(platform: string, notice: Notice, signal?: AbortSignal): Promise<void>;
  sleep: Sleep;
  /** Milliseconds since the epoch, for what is stored or shown. */
  now: () => number;
  /** Milliseconds that pass however the clock is set, for waits. */
  monotonicMs: () => number;
}
