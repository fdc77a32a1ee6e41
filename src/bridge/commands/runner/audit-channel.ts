import type { Log } from '../../conversation/ports.ts';
import { createQueue } from '../../../shared/primitives/queue.ts';
import type { Change, CommandContext } from '../command.ts';
import type { CommandTools } from '../command-tools.ts';
import { renderChange } from './render-change.ts';

/** Announces a workspace's changes in its audit channel, if one was chosen. */
export interface AuditChannel {
  /** Announces a change. Failures are only logged. */
  tell(context: CommandContext, command: string, change: Change): void;
}

interface Told {
  context: CommandContext;
  command: string;
  change: Change;
}

/** Max changes of a workspace waiting to be announced; further ones are only logged. */
const maxWaiting = 100;
/** Even at max length, this many lines fit into one message on every platform. */
const maxLinesPerMessage = 3;

/** Announces changes in order; those that arrive during an announcement share the next message. */
export function createAuditChannel(
  { settings, notify }: Pick<CommandTools, 'settings' | 'notify'>,
  log: Log,
): AuditChannel {
  const posts = createQueue();
  const waiting = new Map<string, Told[]>();

  async function postNext(key: string): Promise<void> {
    const changes = waiting.get(key)?.splice(0, maxLinesPerMessage) ?? [];
    if (waiting.get(key)?.length === 0) waiting.delete(key);
    const context = changes[0]?.context;
    // This change may already have been announced along with earlier ones.
    if (!context) return;
    const { audit } = await settings.of(context);
    if (audit === undefined) return;
    const lines = await Promise.all(changes.map(toLine));
    const { platform, workspace, signal } = context;
    const notice = { workspace, to: { channel: audit }, markdown: lines.join('\n') };
    await notify(platform, notice, signal);
  }

  return {
    tell(context, command, change) {
      const { platform, workspace } = context;
      const key = JSON.stringify([platform, workspace]);
      const failed = (error: unknown) =>
        log.warn(
          { err: error, platform, workspace },
          'a change was not posted to the audit channel',
        );
      const changes = waiting.get(key) ?? [];
      if (changes.length >= maxWaiting) return failed(new Error('Too many changes at once.'));
      waiting.set(key, [...changes, { context, command, change }]);
      posts.run(key, () => postNext(key)).catch(failed);
    },
  };
}

async function toLine({ context, command, change }: Told): Promise<string> {
  const where = await context.names.nameOf('channel', context.channel);
  return renderChange({ who: context.requester.name, where, command }, change);
}
