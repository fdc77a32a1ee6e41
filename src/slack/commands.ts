import type { App } from '@slack/bolt';
import type { Action, Command } from '../commands/command.ts';
import { toTimeZone } from '../commands/formats.ts';
import { findAction, type Invocation, type Suggestion } from '../commands/invocation.ts';
import { textsFor } from '../commands/texts/language.ts';
import type { Log } from '../conversation/ports.ts';
import { type CommandText, parseCommandText } from './command-text.ts';
import { renderUsage } from './command-usage.ts';
import { toPlatformError } from './errors.ts';
import type { FileReader } from './files.ts';
import {
  fieldsOf,
  type FilledForm,
  formId,
  formProblems,
  type FormPurpose,
  isWhich,
  parseForm,
  renderForm,
} from './form.ts';
import { longestField } from './form-field.ts';
import { renderMessage } from './message.ts';
import { createResponder, type Responder } from './responder.ts';
import { type CommandTools, createContext, runCommand } from './run-command.ts';

/** docs.slack.dev/reference/block-kit/block-elements/select-menu-element, `options`. */
const mostChoices = 100;

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
  const { table, clients, people, files, trustedOrigins, log, ...rest } = options;
  const tools: CommandTools = { table, clients, people, ...rest };
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
    if (complete && !namesOnlyWhich(action, values)) {
      return runCommand({ purpose, user, values, responder }, tools);
    }
    const stage = action.present && !namesWhich(action, values) ? { stage: 'which' as const } : {};
    return openForm(slash, { ...purpose, ...stage }, action, values);
  }

  /** The form of an action, with what was given and, of what is to be changed, what stands there. */
  async function toView(
    purpose: FormPurpose,
    user: string,
    action: Action,
    given: Record<string, string>,
  ): Promise<ReturnType<typeof renderForm>> {
    const { command, action: name, channel } = purpose;
    const context = createContext(await people.find(user), channel, tools);
    const used = { command, ...(name !== undefined && { action: name }), context };
    const values = fitting(action, given, await table.prefill({ ...used, values: given }));
    const references = fieldsOf(action, purpose).filter(([, { type }]) => type === 'reference');
    const suggestions = await Promise.all(
      references.map(async ([option]): Promise<[string, Suggestion[]]> => [
        option,
        await table.complete({ ...used, option, typed: '', most: mostChoices }),
      ]),
    );
    const title = [`/${table.prefix}${command}`, name].filter(Boolean).join(' ');
    return renderForm({
      title,
      action,
      values: toChosen(action, values, Object.fromEntries(suggestions)),
      purpose,
      suggestions: Object.fromEntries(suggestions),
    });
  }

  async function openForm(
    { trigger_id, user_id: user, response_url: url }: SlashCommand,
    purpose: FormPurpose,
    action: Action,
    values: Record<string, string>,
  ): Promise<void> {
    const responder = createResponder(url, trustedOrigins);
    try {
      const view = await toView(purpose, user, action, values);
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
    const { locale, timeZone } = await people.find(body.user.id);
    const errors = formProblems(action, form, {
      maxFileBytes: files.maxBytes,
      reading: {
        texts: textsFor(locale),
        timeZone: toTimeZone(timeZone),
        nowMs: Date.now(),
      },
    });
    if (Object.keys(errors).length > 0) return ack({ response_action: 'errors', errors });
    const { stage, ...purpose } = form.purpose;
    if (stage === 'which') {
      const view = await toView(purpose, body.user.id, action, textsOf(form.values));
      return ack({ response_action: 'update', view });
    }
    await ack();
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
      typeof value === 'string' ? value : [value].flat().map((file) => files.toIncomingFile(file)),
    ]),
  );
}

function textsOf(values: FilledForm['values']): Record<string, string> {
  const texts = Object.entries(values).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value] as const] : [],
  );
  return Object.fromEntries(texts);
}

/** Whether it was said what an action is about. */
function namesWhich(action: Action, values: Record<string, string>): boolean {
  return Object.entries(action.options).every(
    ([name, option]) => !isWhich(option) || Boolean(values[name]),
  );
}

/** Whether nothing but what is to be changed was said: a form then shows what stands there now. */
function namesOnlyWhich(action: Action, values: Record<string, string>): boolean {
  if (!action.present) return false;
  return Object.keys(values).every((name) => {
    const option = action.options[name];
    return option !== undefined && isWhich(option);
  });
}

/**
 * What stands there now goes into a field only where all of it fits: cut short, it would be saved
 * so. What was typed goes in as far as it fits.
 */
function fitting(
  action: Action,
  given: Record<string, string>,
  filled: Record<string, string>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(filled).filter(([name, value]) => {
      const option = action.options[name];
      const most = option?.type === 'text' ? (option.maxLength ?? longestField) : longestField;
      return given[name] !== undefined || value.length <= Math.min(most, longestField);
    }),
  );
}

/** Names as the values of the menus they are chosen from. */
function toChosen(
  action: Action,
  values: Record<string, string>,
  suggestions: Record<string, Suggestion[]>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      if (action.options[name]?.type !== 'reference') return [name, value];
      const parts = value.split(',').map((part) => part.trim());
      const chosen = parts.map((part) => {
        const named = suggestions[name]?.find(
          (each) => each.value === part || each.name?.toLowerCase() === part.toLowerCase(),
        );
        return named?.value ?? part;
      });
      return [name, chosen.join(', ')];
    }),
  );
}
