import type { Log } from '../../conversation/ports.ts';
import { createAudit } from './audit.ts';
import { createAuditChannel } from './audit-channel.ts';
import type { ActionContext, Command, CommandContext } from '../command.ts';
import { type CommandNames, typedCommand } from '../command-names.ts';
import type { CommandTools } from '../command-tools.ts';
import { createFormats } from '../formats.ts';
import type { Invocation } from '../invocation.ts';
import type { CommandEntry } from './command-journal.ts';
import type { Repeatable } from './result-buttons.ts';
import { textsFor } from '../../texts/texts.ts';

/** Builds the context of actions from their platform's context and the process's tools. */
export function createContextFactory(options: {
  commands: readonly Command[];
  names: CommandNames;
  tools: CommandTools;
  log: Log;
}): (given: Repeatable<Invocation>, entry: CommandEntry) => Promise<ActionContext> {
  const { commands, names, tools, log } = options;
  const audit = createAudit(log, createAuditChannel(tools, log));

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

  return async (given, entry) => {
    const { command, action, values, confirmed = false, isWhole = false, context } = given;
    const requester = await tools.managers.recognize(context, context.requester);
    return {
      ...tools,
      ...context,
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
      ask: (question) => context.ask(question, entry.asked),
      async keepWatch(watch) {
        await entry.watch(watch);
        context.kept?.();
      },
      leaveWatch: entry.leave,
      changed: (change) => audit(context, [command, action].filter(Boolean).join(' '), change),
    };
  };
}
