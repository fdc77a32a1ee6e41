import type { Author, Log } from '../conversation/ports.ts';
import { createAgentCommand } from './agent/agent.ts';
import { ask } from './ask.ts';
import { createAudit } from './audit.ts';
import { createAuditChannel } from './audit-channel.ts';
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
import { whoManages } from './managers.ts';
import { escapeMarkdown } from './markdown.ts';
import type { RawValues } from './option.ts';
import { parseValues, type ValueReading } from './parse-values.ts';
import { createBindingCheck } from './registry-chatbots.ts';
import { createNotes } from './registry-notes.ts';
import { createSessionCommand } from './session/session.ts';
import { createSourceCommand } from './source/source.ts';
import { createTagCommand } from './tag/tag.ts';
import { messagesFor } from '../messages/messages.ts';
import { whichOne } from './which-one.ts';

/** What is to be done: by a person who typed it, or by a button. */
interface Use {
  command: string;
  action?: string;
  values: RawValues;
  confirmed?: true;
  isWhole?: true;
  context: CommandContext;
}

/** The one table of commands, for all platforms. */
export function createCommandTable(options: {
  prefix: string;
  tools: CommandTools;
  log: Log;
}): CommandTable {
  const { prefix, tools, log } = options;
  const { managers } = tools;
  const audit = createAudit(log, createAuditChannel(tools, log));
  const directory = createDirectory(tools);
  const deeds = createKeptDeeds(tools.now);
  const explainGoneChoice = createBindingCheck(tools, log);
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
    const context = await contextOf(given);
    try {
      const notes = await createNotes(tools, context);
      for await (const outcome of outcomes(given, context)) yield notes.add(toResult(outcome));
    } catch (error) {
      const goneChoice = await explainGoneChoice(error, context);
      if (goneChoice !== undefined) {
        yield { markdown: `❌ ${goneChoice} ${context.texts.useAgain}` };
        return;
      }
      const { command, action } = given;
      log.warn({ err: error, command, action, channel: context.channel }, 'a command failed');
      yield { markdown: `❌ ${explainFailure(error, context.texts)}` };
    }
  }

  async function* outcomes(given: Use, context: ActionContext): AsyncGenerator<string | Outcome> {
    const { texts } = context;
    const action = findAction({ commands }, given.command, given.action);
    if (!action) yield texts.unknownCommand(context.slash('help'));
    else if (action.managersOnly && !context.isManager) yield renderRefusal(context);
    else {
      const parsed = await parseValues(action.options, given.values, reading(context));
      if (parsed.kind === 'problems') yield parsed.problems.join('\n');
      else if (parsed.kind === 'ambiguous') yield whichOne(given, parsed.ambiguity, context);
      // The parser gives what the action declares, which the table has forgotten the types of.
      else yield* action.run(context, parsed.values as Parameters<Action['run']>[1]);
    }
  }

  async function renderRefusal(context: ActionContext): Promise<string> {
    return context.texts.managersOnly(await whoManages(tools, context));
  }

  async function mayUse(use: Omit<Invocation, 'values'>): Promise<boolean> {
    const { command, action, context } = use;
    if (!findAction({ commands }, command, action)?.managersOnly) return true;
    return managers.isManager(context, context.requester);
  }

  async function contextOf(given: Use): Promise<ActionContext> {
    const { command, action, context, confirmed, isWhole, values } = given;
    const { locale, texts } = languageOf(context);
    const isManager = await managers.isManager(context, context.requester);
    const requester: Author = { ...context.requester, isManager };
    return {
      ...context,
      requester,
      texts,
      formats: createFormats(locale, toTimeZone(context.timeZone), context.renderMoment),
      isManager,
      confirmed: confirmed === true,
      isWhole: isWhole === true,
      raw: values,
      slash: (words) => `\`/${prefix}${words}\``,
      tell: (markdown) => tell(context, markdown),
      changed(change) {
        audit(context, [command, action].filter(Boolean).join(' '), change);
      },
    };
  }

  /** Whoever takes no direct messages still finds how it ended where they used the command. */
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

  function reading(context: CommandContext): ValueReading {
    return {
      texts: languageOf(context).texts,
      timeZone: toTimeZone(context.timeZone),
      nowMs: tools.now(),
      list: (kind) => directory.list(kind, context),
      groups: () => context.names.groups(),
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
    // Pressed twice in a row, the second press would say that nothing is there to be deleted.
    if (isForOnce(deed) && !deeds.takeOnce(id)) return { place: 'here', results: shown() };
    return pressed(deed, context);
  }

  function pressed(deed: ButtonDeed, context: CommandContext): Pressed {
    switch (deed.kind) {
      case 'say':
        return { place: 'here', results: shown(deed.markdown) };
      case 'share': {
        const { sharedBy } = languageOf(context).texts;
        const markdown = `${deed.markdown}\n\n${sharedBy(escapeMarkdown(context.requester.name))}`;
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
      // What is still to be given is what the form is for.
      const given = Object.entries(action.options).filter(([name]) => Object.hasOwn(typed, name));
      const parsed = await parseValues(Object.fromEntries(given), typed, reading(context));
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
    mayUse,
    complete: createCompletion({ commands: () => commands, directory, languageOf, log }),
    prefill,
  };
}

function languageOf({ locale }: CommandContext) {
  const canonical = toLocale(locale);
  return { locale: canonical, texts: messagesFor(canonical) };
}

/** Whether doing it again would be a mistake: deleting what was confirmed, sharing. */
function isForOnce(deed: ButtonDeed): boolean {
  return deed.kind === 'share' || (deed.kind === 'run' && deed.confirmed === true);
}

async function* shown(...texts: string[]): AsyncGenerator<Result> {
  for (const markdown of texts) yield { markdown };
}
