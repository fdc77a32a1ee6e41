import type { App } from '@slack/bolt';
import type { Command } from '../commands/command.ts';
import { findAction, type Invocation } from '../commands/invocation.ts';
import type { Log } from '../conversation/ports.ts';
import { type CommandText, parseCommandText } from './command-text.ts';
import { renderUsage } from './command-usage.ts';
import { toPlatformError } from './errors.ts';
import type { FileReader } from './files.ts';
import { type FilledForm, formId, formProblems, parseForm, renderForm } from './form.ts';
import { renderMessage } from './message.ts';
import { createResponder, type Responder } from './responder.ts';
import { type CommandTools, runCommand } from './run-command.ts';

/** Commands under way. */
export interface RunningCommands {
  /** Resolves once none is. */
  idle(): Promise<void>;
}

/**
 * Answers every slash command of the table, and the forms that ask for what was not typed. Slack
 * gives three seconds to acknowledge a command and to open a form, so both come before all else.
 */
export function registerCommands(
  app: App,
  options: CommandTools & {
    files: FileReader;
    /** Where response_urls may lead, besides Slack's own host. */
    trustedOrigins: readonly string[];
    log: Log;
  },
): RunningCommands {
  const { table, clients, files, trustedOrigins, log, ...rest } = options;
  const tools: CommandTools = { table, clients, ...rest };
  const running = new Set<Promise<void>>();

  function start(task: Promise<void>, about: { command: string }): void {
    const guarded = task
      .catch((error: unknown) =>
        log.warn({ err: error, ...about }, 'a result was not shown in Slack'),
      )
      .finally(() => running.delete(guarded));
    running.add(guarded);
  }

  for (const command of table.commands) {
    const name = `/${table.prefix}${command.name}`;
    app.command(name, async ({ command: slash, ack }) => {
      await ack();
      const typed = parseCommandText(command, slash.text);
      start(answer(command, typed, slash), { command: name });
    });
  }

  function answer(command: Command, typed: CommandText, slash: SlashCommand): Promise<void> {
    const { response_url: responseUrl, channel_id: channel, user_id: user } = slash;
    const responder = createResponder(responseUrl, trustedOrigins);
    if (typed.kind === 'usage') {
      const { prefix } = table;
      return say(responder, renderUsage({ prefix, command, problem: typed.problem }));
    }
    const { name, action, values, complete } = typed;
    const purpose = {
      command: command.name,
      ...(name !== undefined && { action: name }),
      channel,
      responseUrl,
    };
    if (complete) return runCommand({ purpose, user, values, responder }, tools);
    const title = [`/${table.prefix}${command.name}`, name].filter(Boolean).join(' ');
    const view = renderForm({ title, action, values, purpose });
    return openForm(slash.trigger_id, view, responder);
  }

  async function openForm(
    trigger_id: string,
    view: ReturnType<typeof renderForm>,
    responder: Responder,
  ): Promise<void> {
    try {
      await clients.writes.views.open({ trigger_id, view });
    } catch (error) {
      const { message } = toPlatformError(error);
      await say(responder, `The form did not open. Please use the command again. (${message})`);
      throw error;
    }
  }

  app.view(formId, async ({ view, body, ack }) => {
    const form = parseForm(view);
    if (!form) return ack({ response_action: 'clear' });
    const { command, action: name, responseUrl } = form.purpose;
    const responder = createResponder(responseUrl, trustedOrigins);
    const action = findAction(table, command, name);
    if (!action) {
      await ack({ response_action: 'clear' });
      const outdated = 'This form is out of date. Please use the command again.';
      return start(say(responder, outdated), { command });
    }
    const errors = formProblems(action, form.values, files.maxBytes);
    if (Object.keys(errors).length > 0) return ack({ response_action: 'errors', errors });
    await ack();
    const { purpose } = form;
    const values = toValues(form, files);
    start(runCommand({ purpose, user: body.user.id, values, responder }, tools), { command });
  });

  return {
    async idle() {
      while (running.size > 0) await Promise.all(running);
    },
  };
}

interface SlashCommand {
  text: string;
  response_url: string;
  trigger_id: string;
  user_id: string;
  channel_id: string;
}

function say(responder: Responder, markdown: string): Promise<void> {
  return responder.send(renderMessage({ markdown }));
}

function toValues(form: FilledForm, files: FileReader): Invocation['values'] {
  return Object.fromEntries(
    Object.entries(form.values).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : files.toIncomingFile(value),
    ]),
  );
}
