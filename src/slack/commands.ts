import type { App } from '@slack/bolt';
import type { Command } from '../commands/command.ts';
import type { CommandText } from '../commands/adapters/command-text.ts';
import { renderUsage } from '../commands/adapters/command-usage.ts';
import { hasOnlySubject, hasSubject } from '../commands/adapters/form-values.ts';
import { messagesFor } from '../messages/messages.ts';
import { parseCommandText } from './command-text.ts';
import type { Forms, FormTools } from './forms.ts';
import { createResponder, say } from './responder.ts';
import { mayUse, runCommand } from './run-command.ts';

interface SlashCommand {
  text: string;
  response_url: string;
  trigger_id: string;
  user_id: string;
  channel_id: string;
}

/**
 * Handles every slash command of the runner, and opens a form if required input is missing. Slack
 * allows three seconds to acknowledge a command and to open a form, so both come first.
 */
export function handleCommands(app: App, forms: Forms, tools: FormTools): void {
  const { runner, people, trustedOrigins, running } = tools;

  for (const command of runner.commands) {
    const name = `/${runner.prefix}${command.name}`;
    app.command(name, async ({ command: slash, ack }) => {
      await ack();
      const typed = parseCommandText(command, slash.text);
      running.start(answer(command, typed, slash), name);
    });
  }

  async function answer(command: Command, typed: CommandText, slash: SlashCommand): Promise<void> {
    const { response_url: responseUrl, channel_id: channel, user_id: user } = slash;
    const responder = createResponder({ url: responseUrl, trustedOrigins });
    if (typed.kind === 'usage') {
      const { prefix } = runner;
      const texts = messagesFor((await people.find(user)).locale);
      return say(responder, renderUsage({ prefix, command, problem: typed.problem, texts }));
    }
    const { name, action, values, complete } = typed;
    const purpose = {
      command: command.name,
      ...(name !== undefined && { action: name }),
      channel,
      responseUrl,
    };
    const isReady = complete && !hasOnlySubject(action, values);
    // People who may not use the command are told before they fill in a form.
    if (isReady || !(await mayUse(purpose, user, tools))) {
      return runCommand({ purpose, user, values, responder }, tools);
    }
    // Any other typed value has its field only in the full form.
    const asksWhich = hasOnlySubject(action, values) && !hasSubject(action, values);
    const stage = asksWhich ? { stage: 'which' as const } : {};
    return forms.open({ id: slash.trigger_id, user }, { ...purpose, ...stage }, action, values);
  }
}
