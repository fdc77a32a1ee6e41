import { type Refusal, renderRefusal } from '../../conversation/access.ts';
import { isOutsideWorkspaces } from '../../conversation/address.ts';
import { NotAskedError } from '../../conversation/questions.ts';
import type { Author } from '../../conversation/platform.ts';
import type { KeyedStore } from '../../conversation/keyed-store.ts';
import type { Log } from '../../../shared/primitives/log.ts';
import { ask } from '../ask.ts';
import { askWhichServer } from '../chatbot/place.ts';
import type { CommandJournal } from './command-journal.ts';
import type { CommandEntry, GivenCommand } from './command-record.ts';
import {
  type Action,
  type ActionContext,
  type Command,
  type CommandContext,
  type CommandTools,
  type Outcome,
  outcomesOf,
  threadOf,
} from '../command.ts';
import {
  type CommandNames,
  typedCommand,
  type CommandRunner,
  type CommandUse,
  findAction,
  type Invocation,
  type Result,
  type Results,
} from '../invocation.ts';
import { createCompletion, createPrefill } from './complete.ts';
import { createDirectory } from './directory.ts';
import { explainError, StoppedError } from '../../conversation/errors.ts';
import { toTimeZone, createFormats } from '../formats.ts';
import { whoManages } from '../chatbot/managers.ts';
import { parseValues, problemWith, type ValueReading, askWhich } from './parse-values.ts';
import type { Option } from '../option.ts';
import { createBindingCheck, createNotes } from '../registry/registry-chatbots.ts';
import { forRequester } from '../outcomes.ts';
import { createForms, soon } from './kept-forms.ts';
import { createResultButtons, type KeptResult, type Repeatable } from './result-buttons.ts';
import { textsFor } from '../../texts/texts.ts';
import { createAudit } from './audit.ts';

/**
 * Runs commands for all platforms: parses values, checks permissions, runs the action and explains
 * failures.
 */
export function createCommandRunner(options: {
  commands: readonly Command[];
  names: CommandNames;
  tools: CommandTools;
  journal: CommandJournal;
  /** What the buttons of results do. */
  results: KeyedStore<KeptResult>;
  forms: KeyedStore<object>;
  log: Log;
}): CommandRunner {
  const { commands, names, tools, journal, log } = options;
  const audit = createAudit(tools, log);
  const directory = createDirectory(tools);
  const buttons = createResultButtons({
    commands,
    store: options.results,
    now: tools.now,
    log,
    run,
    refusalTo,
    access: tools.access,
  });
  const explainGoneChoice = createBindingCheck(log);

  function run(given: Repeatable<Invocation>): Results {
    const entry = given.context.accepted ?? journal.open(given);
    return {
      [Symbol.asyncIterator]: () => runInContext(given, entry),
      shownIn: entry.shownIn,
      ended: entry.end,
    };
  }

  async function* runInContext(
    given: Repeatable<Invocation>,
    entry: CommandEntry,
  ): AsyncGenerator<Result> {
    const context = await createContext(given, entry);
    try {
      // A message is stored: the next process answers it.
      if (journal.closing.aborted && !context.kept) throw new StoppedError({ kind: 'restart' });
      await entry.complete(given);
      const refusal = await refusalOf(given, context.requester);
      if (refusal) {
        yield await buttons.toResult(forRequester(await explainRefusal(refusal, context)), given);
        return;
      }
      const { needsNoChatbot } = findAction(commands, given.command, given.action) ?? {};
      const isSilent = needsNoChatbot || context.requester.outsider;
      const notes = isSilent ? undefined : await createNotes(context);
      for await (const outcome of runAction(given, context, entry)) {
        const result = await buttons.toResult(outcome, given);
        yield notes?.add(result) ?? result;
      }
    } catch (error) {
      const markdown = `❌ ${await explain(error, given, context)}`;
      yield { markdown, isPrivate: true, isRefused: true };
    }
  }

  /** The context of an action: its platform's context, and the process's tools. */
  async function createContext(
    given: Repeatable<Invocation>,
    entry: CommandEntry,
  ): Promise<ActionContext> {
    const { command, action, values, confirmed = false, isWhole = false, context } = given;
    const requester = await recognize(context);
    return {
      ...tools,
      ...context,
      invoked: { command, action },
      commands,
      requester,
      isManager: requester.isManager,
      texts: textsFor(context.locale),
      formats: createFormats(context),
      confirmed,
      isWhole,
      raw: values,
      slash: (words) => `\`${typedCommand(names, context.platform, words)}\``,
      tell: (markdown) => tell(context, markdown),
      async ask(question) {
        await requireAdmission(context, requester);
        return context.ask(question, entry.asked);
      },
      async keepWatch(watch) {
        await entry.watch(watch);
        context.kept?.();
      },
      leaveWatch: entry.leave,
      changed: (change) => audit(context, [command, action].filter(Boolean).join(' '), change),
    };
  }

  /** In a direct message, who manages depends on its workspace, which may be chosen only now. Never rejects. */
  async function recognize(context: CommandContext): Promise<Author> {
    const { requester } = context;
    if (isOutsideWorkspaces(context)) {
      await tools.access.refusal(context, requester, 'own').catch(() => undefined);
    }
    return tools.managers.recognize(context, requester);
  }

  /** @throws {NotAskedError} */
  async function requireAdmission(context: CommandContext, author: Author): Promise<void> {
    const texts = textsFor(context.locale);
    const refusal = await tools.access.refusal(context, author, 'ask');
    if (refusal) throw new NotAskedError(renderRefusal(refusal, texts));
    const spent = await tools.admission.check({ address: threadOf(context), author });
    if (spent) throw new NotAskedError(tools.admission.explain(spent, context, texts));
  }

  /** People who block direct messages still find the outcome where they used the command. */
  async function tell(
    { platform, workspace, requester }: CommandContext,
    markdown: string,
  ): Promise<void> {
    try {
      await tools.notify(platform, { workspace, to: { person: requester.id }, markdown });
    } catch (error) {
      log.info({ err: error, person: requester.id }, 'someone could not be told by direct message');
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
    else if (action.inWorkspace && isOutsideWorkspaces(context)) {
      yield forRequester(texts.chatbot.noWorkspace);
    } else {
      const parsed = await parseValues(action.options, given.values, readingIn(context));
      if (parsed.kind === 'problems') {
        yield { ...forRequester(parsed.problems.join('\n')), isRefused: true };
      } else if (parsed.kind === 'ambiguous')
        yield forRequester(askWhich(parsed.ambiguity, context));
      else {
        if (hasEffect(action) && !context.kept) await entry.save();
        // The parser returns the types that the action declares; the list of commands has erased
        // them.
        yield* outcomesOf(action.run(context, parsed.values as Parameters<Action['run']>[1]));
      }
    }
  }

  async function explain(
    error: unknown,
    { command, action }: Invocation,
    context: ActionContext,
  ): Promise<string> {
    const { texts, channel } = context;
    if (error instanceof NotAskedError) return error.message;
    const goneChoice = await explainGoneChoice(error, context);
    if (goneChoice !== undefined) return `${goneChoice} ${texts.useAgain}`;
    log.warn({ err: error, command, action, channel }, 'a command failed');
    return explainError(error, texts);
  }

  function readingIn(context: CommandContext): ValueReading {
    return {
      texts: textsFor(context.locale),
      timeZone: toTimeZone(context.timeZone),
      nowMs: tools.now(),
      list: (kind) => directory.list(kind, context),
      groups: () => context.names.groups(),
    };
  }

  /** Why a person may not use a command there. Rejects when the store is down. */
  async function refusalOf(
    { command, action: name, context }: CommandUse,
    requester: Author,
  ): Promise<Refusal | { kind: 'managers_only' } | undefined> {
    const action = findAction(commands, command, name);
    const use = command === ask.name ? 'ask' : action?.isOwn ? 'own' : 'other';
    const refusal = await tools.access.refusal(context, requester, use);
    const isServed = action?.needsNoChatbot && refusal?.kind !== 'outsider';
    if (refusal && !isServed) return refusal;
    return action?.managersOnly && !requester.isManager ? { kind: 'managers_only' } : undefined;
  }

  async function explainRefusal(
    refusal: NonNullable<Awaited<ReturnType<typeof refusalOf>>>,
    context: CommandContext,
  ): Promise<string | Outcome> {
    const texts = textsFor(context.locale);
    if (refusal.kind === 'managers_only') {
      return texts.managersOnly(await whoManages({ ...tools, ...context }));
    }
    if (refusal.kind === 'choose') return askWhichServer({ texts }, refusal.workspaces);
    return renderRefusal(refusal, texts);
  }

  /** What follows from whether somebody may use a command there, or from not finding that out. */
  async function check<Answer>(
    use: CommandUse,
    answer: (refusal: Awaited<ReturnType<typeof refusalOf>>) => Answer | Promise<Answer>,
    failed: (error: unknown) => Answer,
  ): Promise<Answer> {
    try {
      return await answer(await refusalOf(use, await recognize(use.context)));
    } catch (error) {
      log.error({ err: error, command: use.command }, 'a person’s permission could not be checked');
      return failed(error);
    }
  }

  /** What somebody reads who may not use a command there; undefined if they may. */
  function refusalTo(use: CommandUse): Promise<string | Outcome | undefined> {
    return check<string | Outcome | undefined>(
      use,
      (refusal) => refusal && explainRefusal(refusal, use.context),
      (error) => `❌ ${explainError(error, textsFor(use.context.locale))}`,
    );
  }

  async function accept(given: GivenCommand): Promise<CommandEntry | undefined> {
    const action = findAction(commands, given.command, given.action);
    if (journal.closing.aborted || !action || !hasEffect(action)) return undefined;
    const entry = journal.open(given);
    await entry.save();
    return entry;
  }

  const mayUse: CommandRunner['mayUse'] = (use) =>
    check(
      use,
      (refusal) => refusal === undefined,
      () => false,
    );

  return {
    names,
    commands,
    forms: createForms(options.forms, log),
    accept,
    async acceptPress(id, context) {
      const failed = 'the purpose of a button could not be read in time';
      const use = await soon(buttons.commandOf(id), log, failed);
      return use && accept({ ...use, context });
    },
    run,
    press: buttons.press,
    placeOf: (result, person) =>
      soon(buttons.placeOf(result, person), log, 'where a command was used could not be read'),
    contextAt: buttons.contextAt,
    mayUse,
    async isShared({ values, ...use }) {
      const action = findAction(commands, use.command, use.action);
      if (action?.shownTo !== 'channel') return false;
      const reading = readingIn(use.context);
      const isWrong = ([name, option]: [string, Option]) =>
        problemWith(option, values[name], reading) !== '';
      return !Object.entries(action.options).some(isWrong) && mayUse(use);
    },
    complete: createCompletion({ commands, directory, mayUse, log }),
    prefill: createPrefill({ commands, readingIn, mayUse, log }),
  };
}

/** Whether people want to hear of it if it is cut off. */
function hasEffect({ managersOnly, changes }: Action): boolean {
  return managersOnly === true || changes === true;
}
