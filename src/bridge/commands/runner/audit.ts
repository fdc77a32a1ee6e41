import type { Log } from '../../../shared/primitives/log.ts';
import { cut, shorten } from '../../../shared/primitives/text.ts';
import type { Change, CommandContext, CommandTools } from '../command.ts';
import { createQueue } from '../../../shared/primitives/queue.ts';
import { escapeMarkdown } from '../../conversation/markdown/plain-text.ts';

/** Longer texts are cut. */
const maxTextLength = 500;
const maxItems = 50;

interface Told {
  context: CommandContext;
  command: string;
  change: Change;
}

/** Max changes of a workspace waiting to be announced; further ones are only logged. */
const maxWaiting = 100;
/** Even at max length, this many lines fit into one message on every platform. */
const maxLinesPerMessage = 3;

/**
 * Records changes in the audit log, one line each with who, where, what, before and after, and
 * announces them in the workspace's audit channel, if one was chosen: in order, and those that
 * arrive during an announcement share the next message. Failures are only logged.
 */
export function createAudit(
  { settings, notify }: Pick<CommandTools, 'settings' | 'notify'>,
  log: Log,
): (context: CommandContext, command: string, change: Change) => void {
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

  function announce(context: CommandContext, command: string, change: Change): void {
    const { platform, workspace } = context;
    const key = JSON.stringify([platform, workspace]);
    const failed = (error: unknown) =>
      log.warn({ err: error, platform, workspace }, 'a change was not posted to the audit channel');
    const changes = waiting.get(key) ?? [];
    if (changes.length >= maxWaiting) return failed(new Error('Too many changes at once.'));
    waiting.set(key, [...changes, { context, command, change }]);
    posts.run(key, () => postNext(key)).catch(failed);
  }

  return (context, command, change) => {
    logChange(log, context, command, change);
    announce(context, command, change);
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

async function toLine({ context, command, change }: Told): Promise<string> {
  const where = await context.names.nameOf('channel', context.channel);
  return renderChange({ who: context.requester.name, where, command }, change);
}

/** Three lines of this length fit into one message on every platform. */
const maxLineLength = 600;
const maxNameLength = 80;
const maxValueLength = 60;

/** Renders a change in one line: who, where, what, and each value before and after. */
function renderChange(
  about: { who: string; where: string | undefined; command: string },
  { what, before = {}, after = {} }: Change,
): string {
  const { who, where, command } = about;
  const name = what.name ? `**${toText(what.name, maxNameLength)}**` : `\`${what.uuid}\``;
  const parts = [
    `**${toText(who, maxNameLength)}**`,
    ...(where === undefined ? [] : [toText(where, maxNameLength)]),
    `\`${command}\` ${name}`,
    ...renderValues(before, after),
  ];
  return shorten(parts.join(' · '), maxLineLength);
}

function renderValues(before: object, after: object): string[] {
  const old = new Map<string, unknown>(Object.entries(before));
  const now = new Map<string, unknown>(Object.entries(after));
  const keys = new Set([...old.keys(), ...now.keys()]);
  return [...keys].flatMap((key) => {
    const values = [old, now].filter((side) => side.has(key)).map((side) => side.get(key));
    if (values.every(isBlank)) return [];
    return `${toText(key, maxNameLength)}: ${values.map(toValue).join(' → ')}`;
  });
}

function isBlank(value: unknown): boolean {
  const isEmpty = Array.isArray(value) && value.length === 0;
  return isEmpty || value === undefined || value === null || value === '';
}

function toValue(value: unknown): string {
  if (isBlank(value)) return '–';
  return toText(typeof value === 'string' ? value : JSON.stringify(value), maxValueLength);
}

function toText(text: string, maxLength: number): string {
  return escapeMarkdown(shorten(text, maxLength));
}
