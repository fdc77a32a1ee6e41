import type { Author, Log } from '../conversation/ports.ts';
import { createAgentCommand } from './agent/agent.ts';
import { ask } from './ask.ts';
import { logChange } from './audit.ts';
import { createChatbotCommand } from './chatbot/chatbot.ts';
import type {
  Action,
  ActionContext,
  ButtonDeed,
  Command,
  CommandContext,
  Outcome,
} from './command.ts';
import type { CommandTools } from './command-tools.ts';
import { createCompletion } from './complete.ts';
import { createDirectory } from './directory.ts';
import { explainFailure } from './explain-failure.ts';
import { createFormats, toLocale, toTimeZone } from './formats.ts';
import { createHelpCommand } from './help.ts';
import {
  findAction,
  type Invocation,
  type Pressed,
  type Result,
  type CommandTable,
} from './invocation.ts';
import { createKeptDeeds } from './kept-deeds.ts';
import { createManagers } from './managers.ts';
import type { RawValues } from './option.ts';
import { parseValues, type ValueReading } from './parse-values.ts';
import { createSessionCommand } from './session/session.ts';
import { createSourceCommand } from './source/source.ts';
import { createTagCommand } from './tag/tag.ts';
import { textsFor } from './texts/language.ts';
import { whichOne } from './which-one.ts';

/** What is to be done: by a person who typed it, or by a button. */
interface Use {
  command: string;
  action?: string;
  values: RawValues;
  confirmed?: true;
  context: CommandContext;
}

/** The one table of commands, for all platforms. */
export function createCommandTable(options: {
  prefix: string;
  tools: CommandTools;
  /** Ids of people who manage besides those whom their platform says so of. */
  managers: readonly string[];
  log: Log;
}): CommandTable {
  const { prefix, tools, log } = options;
  const isManager = createManagers(options.managers);
  const directory = createDirectory(tools);
  const deeds = createKeptDeeds(tools.now);
  const commands: Command[] = [
    ask,
    createSourceCommand(tools),
    createTagCommand(tools),
    createAgentCommand(tools),
    createChatbotCommand(tools),
    createSessionCommand(tools),
    createHelpCommand(() => commands),
  ];

  async function* use(given: Use): AsyncGenerator<Result> {
    const context = contextOf(given);
    try {
      for await (const outcome of outcomes(given, context)) yield toResult(outcome);
    } catch (error) {
      const { command, action } = given;
      log.warn({ err: error, command, action, channel: context.channel }, 'a command failed');
      yield { markdown: `❌ ${explainFailure(error, context.texts)}` };
    }
  }

  async function* outcomes(given: Use, context: ActionContext): AsyncGenerator<string | Outcome> {
    const { texts } = context;
    const action = findAction({ commands }, given.command, given.action);
    if (!action) yield texts.unknownCommand(context.slash('help'));
    else if (action.managersOnly && !context.isManager) yield texts.managersOnly;
    else {
      const parsed = await parseValues(action.options, given.values, reading(context));
      if (parsed.kind === 'problems') yield parsed.problems.join('\n');
      else if (parsed.kind === 'ambiguous') yield whichOne(given, parsed.ambiguity, context);
      // The parser gives what the action declares, which the table has forgotten the types of.
      else yield* action.run(context, parsed.values as Parameters<Action['run']>[1]);
    }
  }

  function contextOf({ command, action, context, confirmed, values }: Use): ActionContext {
    const { locale, texts } = languageOf(context);
    const requester: Author = { ...context.requester, isManager: isManager(context.requester) };
    return {
      ...context,
      requester,
      texts,
      formats: createFormats(locale, toTimeZone(context.timeZone)),
      isManager: requester.isManager,
      confirmed: confirmed === true,
      raw: values,
      slash: (words) => `\`/${prefix}${words}\``,
      changed(change) {
        logChange(log, context, [command, action].filter(Boolean).join(' '), change);
      },
    };
  }

  function reading(context: CommandContext): ValueReading {
    return {
      texts: languageOf(context).texts,
      timeZone: toTimeZone(context.timeZone),
      nowMs: tools.now(),
      list: (kind) => directory.list(kind, context),
    };
  }

  function toResult(outcome: string | Outcome): Result {
    if (typeof outcome === 'string') return { markdown: outcome };
    const { buttons = [], ...rest } = outcome;
    return {
      ...rest,
      buttons: buttons.map(({ does, ...button }) => ({ id: deeds.keep(does), ...button })),
    };
  }

  function press(id: string, context: CommandContext): Pressed {
    const deed = deeds.find(id);
    if (!deed) return { place: 'here', results: shown(languageOf(context).texts.forgotten) };
    return pressed(deed, context);
  }

  function pressed(deed: ButtonDeed, context: CommandContext): Pressed {
    switch (deed.kind) {
      case 'say':
        return { place: 'here', results: shown(deed.markdown) };
      case 'share': {
        const { sharedBy } = languageOf(context).texts;
        const markdown = `${deed.markdown}\n\n${sharedBy(context.requester.name)}`;
        return { place: 'channel', results: shown(markdown) };
      }
      case 'run': {
        const { kind: _, ...invocation } = deed;
        return { place: 'here', results: use({ ...invocation, context }) };
      }
    }
  }

  async function prefill(invocation: Invocation): Promise<Record<string, string>> {
    const { context, values } = invocation;
    const typed = Object.fromEntries(
      Object.entries(values).filter(
        (entry): entry is [string, string] => typeof entry[1] === 'string',
      ),
    );
    const action = findAction({ commands }, invocation.command, invocation.action);
    if (!action?.present) return typed;
    try {
      const parsed = await parseValues(action.options, typed, reading(context));
      if (parsed.kind !== 'values') return typed;
      const present = action.present(parsed.values as Parameters<typeof action.present>[0]);
      return { ...present, ...typed };
    } catch (error) {
      log.warn({ err: error, command: invocation.command }, 'a form could not be prefilled');
      return typed;
    }
  }

  return {
    prefix,
    commands,
    run: use,
    press,
    complete: createCompletion({ commands: () => commands, directory, languageOf, log }),
    prefill,
  };
}

function languageOf({ locale }: CommandContext) {
  const canonical = toLocale(locale);
  return { locale: canonical, texts: textsFor(canonical) };
}

async function* shown(markdown: string): AsyncGenerator<Result> {
  yield { markdown };
}
