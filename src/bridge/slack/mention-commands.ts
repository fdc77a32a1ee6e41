import { z } from 'zod';
import {
  type CommandText,
  readTypedCommand,
  renderUsage,
  type TypedTokens,
} from '../commands/adapters/command-text.ts';
import { renderUnknown } from '../commands/adapters/guess.ts';
import {
  createSaidReader,
  type MentionCommand,
  type ReadSaid,
  takesFiles,
  withFiles,
} from '../commands/adapters/mention-command.ts';
import { typedCommand } from '../commands/invocation.ts';
import type { Command } from '../commands/command.ts';
import type { Texts } from '../texts/texts.ts';
import { orPlatformError } from './errors.ts';
import { slackFile } from './files.ts';
import type { WrittenMessage } from './incoming-message.ts';
import { toReadableText } from './message-text.ts';
import { tellRequester } from './result-target.ts';
import { runCommand, type RunTools } from './run-command.ts';

const withFilesOf = z.object({ files: z.array(slackFile).default([]) });

/**
 * Reads commands from messages, because Slack has no slash commands in threads. They run with the
 * thread as context, and only the author sees the result there.
 */
export function createMentionCommands(tools: RunTools): ReadSaid<WrittenMessage> {
  const { runner, clients, files } = tools;

  async function run(
    { command, text }: MentionCommand,
    message: WrittenMessage,
    kept: () => void,
  ): Promise<void> {
    const { channel, thread_ts: thread, user } = message;
    const named = (words: string) => typedCommand(runner.names, 'slack', words);
    const tell = (render: (texts: Texts) => string) =>
      tellRequester(tools, { channel, thread, user }, render);
    if (!command) {
      const { commands } = runner;
      return tell((texts) => renderUnknown(toReadable(text), { commands, texts }, named));
    }
    const typed = parseCommandText(command, text);
    if (typed.kind === 'usage') {
      const { problem } = typed;
      return tell((texts) => renderUsage({ name: named(command.name), command, problem, texts }));
    }
    const { name, action } = typed;
    const purpose = {
      command: command.name,
      action: name,
      channel,
      thread,
    };
    const attached = takesFiles(action) ? await readFiles(message) : [];
    const values = withFiles(
      action,
      typed.values,
      attached.map((file) => files.toIncomingFile(file)),
    );
    return runCommand({ purpose, user, values, kept }, tools);
  }

  /** An app_mention, which may arrive first, does not contain the message's files. */
  async function readFiles({ type, files: own, channel, ts, thread_ts: thread }: WrittenMessage) {
    if (type !== 'app_mention' || own.length > 0) return own;
    const place = { channel, ts: thread ?? ts, oldest: ts, latest: ts, inclusive: true };
    const replies = clients.calls.conversations.replies(place);
    const { messages = [] } = await orPlatformError(replies);
    return withFilesOf.parse(messages.find((each) => each.ts === ts) ?? {}).files;
  }

  return createSaidReader(tools, run);
}

/**
 * Parses the text typed after a slash command. Slack sends channels, people and groups as
 * `<#C1|general>`, `<@U1|ada>` and `<!subteam^S1|@support>` (`should_escape` in
 * docs.slack.dev/interactivity/implementing-slash-commands).
 */
export function parseCommandText(command: Command, typed: string): CommandText {
  return readTypedCommand(command, typed, { patterns, toReadable });
}

const patterns: TypedTokens['patterns'] = {
  channel: /^<#([A-Z0-9]+)(?:\|[^<>]*)?>$/,
  person: /^<@([A-Z0-9]+)(?:\|[^<>]*)?>$/,
  group: /^<!subteam\^([A-Z0-9]+)(?:\|[^<>]*)?>$/,
};

/** Replaces tokens with the names that they contain. */
export function toReadable(text: string): string {
  return toReadableText(text, () => undefined);
}
