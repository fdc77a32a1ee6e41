import { explainError, isPassingRefusal } from '../../conversation/errors.ts';
import { createSplitter } from '../../conversation/markdown/split-markdown.ts';
import type { IncomingMessage, Notice } from '../../conversation/platform.ts';
import type { Handler } from '../../conversation/inbox/scheduler.ts';
import type { Log } from '../../../shared/primitives/log.ts';
import type { Thread } from '../../conversation/thread.ts';
import type { ThreadAddress } from '../../conversation/address.ts';
import { textsFor } from '../../texts/texts.ts';
import { growingWaitMs, retry } from '../../../shared/primitives/retry.ts';
import { type ResultTarget, showResults } from '../adapters/show-results.ts';
import { type CommandNames, typedCommand, type Result } from '../invocation.ts';
import type { CommandTools } from '../command.ts';
import { createFormats } from '../formats.ts';
import type { SourceWatch } from '../source/source-watch.ts';
import { watchRows } from '../source/watch-rows.ts';
import type { CommandJournal } from './command-journal.ts';
import type { CommandEntry, CommandRecord } from './command-record.ts';
import { inSteps } from '../../../shared/primitives/time.ts';

export interface RecoverCommandsOptions {
  journal: CommandJournal;
  names: CommandNames;
  tools: Pick<CommandTools, 'client' | 'gaps' | 'threads' | 'notify' | 'sleep' | 'monotonicMs'>;
  openThread(address: ThreadAddress): Thread | undefined;
  /** Answers a message, unless it was received before. Resolves when the reply has ended. */
  receive(message: IncomingMessage): Promise<void>;
  log: Log;
  /** Aborted at shutdown: what is left then is left to the next start. */
  signal: AbortSignal;
}

/** Edits of all commands and replies share a platform's limit. */
const minEditIntervalMs = 3_000;

/**
 * Handles the rows of commands that an earlier run was cut off from. No command runs again: what one
 * watched is watched on, and for the others whoever gave one is told.
 */
export function createRecoverCommand(options: RecoverCommandsOptions): Handler {
  const { journal, names, tools, openThread, log, signal } = options;
  const { sleep } = tools;
  let underWay = 0;

  async function recover(entry: CommandEntry): Promise<void> {
    const { command, action, watch, asked } = entry.record;
    log.info({ command, action, isWatch: Boolean(watch) }, 'a command was cut off');
    if (asked) return answer(entry, asked);
    const results = watch ? watchOn(entry, watch) : tellCutOff(entry);
    const ended = () => entry.end();
    try {
      await showResults(Object.assign(results, { ended }), targetOf(entry.record), sleep);
    } catch (error) {
      log.warn({ err: error, command }, 'a result was not shown in its channel');
    }
  }

  /** The question is posted: it is answered, if it wasn't. */
  async function answer(
    entry: CommandEntry,
    { thread: address, ...asked }: NonNullable<CommandRecord['asked']>,
  ): Promise<void> {
    const { requester, locale } = entry.record;
    const thread = openThread(address);
    const author = { ...requester, isManager: false, locale };
    if (thread) await options.receive({ ...asked, author, thread });
    if (!signal.aborted) await entry.end();
  }

  async function* tellCutOff(entry: CommandEntry): AsyncGenerator<Result> {
    const { platform, command, action, locale } = entry.record;
    const texts = textsFor(locale);
    const slash = slashOn(platform);
    const given = slash([command, action].filter(Boolean).join(' '));
    const check = slash(`${command} ${command === 'chatbot' ? 'show' : 'list'}`);
    const isAsk = action === undefined;
    const markdown = isAsk ? texts.askInterrupted(given) : texts.interrupted(given, check);
    await tell(entry, `⚠️ ${markdown}`);
    yield { markdown: `⚠️ ${markdown}` };
  }

  async function* watchOn(entry: CommandEntry, watch: SourceWatch): AsyncGenerator<Result> {
    const { platform, locale, requester } = entry.record;
    const texts = textsFor(locale);
    const context = {
      ...tools,
      texts,
      slash: slashOn(platform),
      formats: createFormats(entry.record),
      requester: { ...requester, isManager: true },
      signal,
      tell: (markdown: string) => tell(entry, markdown),
      keepWatch: entry.watch,
      leaveWatch: entry.leave,
    };
    const resumed = { startedMs: tools.monotonicMs(), isResumed: true };
    try {
      for await (const shown of watchRows(context, watch, resumed)) {
        yield typeof shown === 'string' ? { markdown: shown } : { markdown: shown.markdown };
      }
    } catch (error) {
      const markdown = `❌ ${explainError(error, texts)}`;
      await tell(entry, markdown);
      yield { markdown };
    }
  }

  /**
   * Tells the person directly; if they can't be, where they gave the command. Goes on until the
   * platform accepts or refuses it. Never rejects.
   */
  async function tell(entry: CommandEntry, markdown: string): Promise<void> {
    const { requester, channel } = entry.record;
    try {
      try {
        await send(entry.record, { to: { person: requester.id }, markdown });
      } catch (error) {
        if (signal.aborted) throw error;
        await send(entry.record, { to: { channel }, people: [requester.id], markdown });
      }
    } catch (error) {
      if (signal.aborted) entry.leave();
      else log.warn({ err: error, person: requester.id }, 'someone could not be told of a command');
    }
  }

  async function send(
    { platform, workspace }: CommandRecord,
    notice: Omit<Notice, 'workspace'>,
  ): Promise<void> {
    await retry(() => tools.notify(platform, { workspace, ...notice }, signal), {
      waitMs: (error, failures) => (isPassingRefusal(error) ? growingWaitMs(failures) : undefined),
      sleep,
      signal,
    });
  }

  /** The messages that showed the command's result, if there are any. */
  function targetOf({ platform, workspace, shown }: CommandRecord): ResultTarget {
    const minIntervalMs = () => minEditIntervalMs * Math.max(1, underWay);
    const thread =
      shown && openThread({ platform, workspace, channel: shown.channel, thread: shown.channel });
    return {
      minIntervalMs,
      async show({ markdown }) {
        if (thread) await edit(thread, shown.messages, markdown);
      },
    };
  }

  function slashOn(platform: string): (words: string) => string {
    return (words) => `\`${typedCommand(names, platform, words)}\``;
  }

  return async (row, { ready }) => {
    await ready;
    const entry = signal.aborted ? undefined : await journal.reopen(row);
    if (!entry) return;
    underWay += 1;
    try {
      await recover(entry);
    } finally {
      underWay -= 1;
    }
  };
}

/** Replaces the text of messages. What does not fit into as many is left out: people are told it. */
async function edit(thread: Thread, messages: readonly string[], markdown: string): Promise<void> {
  const pieces = await inSteps(createSplitter(thread.limits)(markdown));
  for (const [index, id] of messages.entries()) {
    await thread.message(id).edit({ markdown: pieces[index] ?? '…' });
  }
}
