import type { Log } from '../../conversation/ports.ts';
import { createContextFactory } from './action-context.ts';
import type { CommandEntry, CommandJournal } from './command-journal.ts';
import type { Action, ActionContext, Command, CommandContext, Outcome } from '../command.ts';
import type { CommandNames } from '../command-names.ts';
import type { CommandTools } from '../command-tools.ts';
import { createCompletion } from './complete.ts';
import { createDirectory } from './directory.ts';
import { explainError } from '../../conversation/explain.ts';
import { toTimeZone } from '../formats.ts';
import {
  type CommandRunner,
  findAction,
  type Invocation,
  type Result,
  type Results,
} from '../invocation.ts';
import { whoManages } from '../managers.ts';
import { parseValues, problemWith, type ValueReading } from './parse-values.ts';
import type { Option } from '../option.ts';
import { createPrefill } from './prefill.ts';
import { createBindingCheck } from '../registry/registry-chatbots.ts';
import { createNotes } from '../registry/registry-notes.ts';
import { createResultButtons, type Repeatable } from './result-buttons.ts';
import { messagesFor } from '../../messages/messages.ts';
import { askWhich } from './ask-which.ts';

/**
 * Runs commands for all platforms: parses values, checks permissions, runs the action and explains
 * failures.
 */
export function createCommandRunner(options: {
  commands: readonly Command[];
  names: CommandNames;
  tools: CommandTools;
  journal: CommandJournal;
  log: Log;
}): CommandRunner {
  const { commands, names, tools, journal, log } = options;
  const createContext = createContextFactory({ commands, names, tools, log });
  const directory = createDirectory(tools);
  const buttons = createResultButtons({ now: tools.monotonicMs, run });
  const explainGoneChoice = createBindingCheck(log);

  function run(given: Repeatable<Invocation>): Results {
    const entry = journal.open(given);
    return {
      [Symbol.asyncIterator]: () => runInContext(given, entry),
      shownIn: entry.shownIn,
      async ended(isShown) {
        // A process that stops may have kept the result from being shown.
        if (!isShown && given.context.signal.aborted) entry.leave();
        await entry.end();
      },
    };
  }

  async function* runInContext(
    given: Repeatable<Invocation>,
    entry: CommandEntry,
  ): AsyncGenerator<Result> {
    const context = await createContext(given, entry);
    try {
      const notes = await createNotes(context);
      for await (const outcome of runAction(given, context, entry)) {
        yield notes.add(buttons.toResult(outcome));
      }
    } catch (error) {
      yield { markdown: `❌ ${await explain(error, given, context)}` };
    }
  }

  async function* runAction(
    given: Invocation,
    context: ActionContext,
    entry: CommandEntry,
  ): AsyncGenerator<string | Outcome> {
    const { texts } = context;
    const action = findAction(commands, given.command, given.action);
    if (!action) yield texts.unknownCommand(context.slash('help'));
    else if (action.managersOnly && !context.isManager) {
      yield context.requester.outsider === 'unknown'
        ? texts.managersUnknown
        : texts.managersOnly(await whoManages(context));
    } else {
      const parsed = await parseValues(action.options, given.values, readingIn(context));
      if (parsed.kind === 'problems') yield parsed.problems.join('\n');
      else if (parsed.kind === 'ambiguous') yield askWhich(given, parsed.ambiguity, context);
      else {
        const changes = action.managersOnly || action.changes;
        if (changes && !context.kept) await entry.save();
        // The parser returns the types that the action declares; the list of commands has erased
        // them.
        yield* action.run(context, parsed.values as Parameters<Action['run']>[1]);
      }
    }
  }

  async function explain(
    error: unknown,
    { command, action }: Invocation,
    context: ActionContext,
  ): Promise<string> {
    const { texts, channel } = context;
    const goneChoice = await explainGoneChoice(error, context);
    if (goneChoice !== undefined) return `${goneChoice} ${texts.useAgain}`;
    log.warn({ err: error, command, action, channel }, 'a command failed');
    return explainError(error, texts);
  }

  function readingIn(context: CommandContext): ValueReading {
    return {
      texts: messagesFor(context.locale),
      timeZone: toTimeZone(context.timeZone),
      nowMs: tools.now(),
      list: (kind) => directory.list(kind, context),
      groups: () => context.names.groups(),
    };
  }

  const mayUse: CommandRunner['mayUse'] = async ({ command, action, context }) => {
    if (!findAction(commands, command, action)?.managersOnly) return true;
    return tools.managers.isManager(context, context.requester);
  };

  return {
    names,
    commands,
    run,
    press: buttons.press,
    mayUse,
    async isShared({ values, ...use }) {
      const action = findAction(commands, use.command, use.action);
      if (action?.shownTo !== 'channel') return false;
      const reading = readingIn(use.context);
      const isWrong = ([name, option]: [string, Option]) =>
        problemWith(option, values[name], reading) !== '';
      return !Object.entries(action.options).some(isWrong) && mayUse(use);
    },
    complete: createCompletion({ commands, directory, log }),
    prefill: createPrefill({ commands, readingIn, log }),
  };
}
