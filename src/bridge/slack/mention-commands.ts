import { z } from 'zod';
import { typedCommand } from '../commands/command-names.ts';
import { renderUsage } from '../commands/adapters/command-usage.ts';
import {
  type MentionCommand,
  createSaidReader,
  type ReadSaid,
  takesFiles,
  withFiles,
} from '../commands/adapters/mention-command.ts';
import { parseCommandText } from './command-text.ts';
import { toPlatformError } from './errors.ts';
import { type FileReader, slackFile } from './files.ts';
import type { WrittenMessage } from './incoming-message.ts';
import { tellRequester } from './result-target.ts';
import { type RunTools, runCommand } from './run-command.ts';
import { textsFor } from '../texts/texts.ts';

const withFilesOf = z.object({ files: z.array(slackFile).default([]) });

/**
 * Reads commands from messages, because Slack has no slash commands in threads. They run with the
 * thread as context, and only the author sees the result there.
 */
export function createMentionCommands(
  tools: RunTools & { files: FileReader },
): ReadSaid<WrittenMessage> {
  const { runner, clients, people, files, sleep } = tools;

  async function run(
    { command, text }: MentionCommand,
    message: WrittenMessage,
    kept: () => void,
  ): Promise<void> {
    const { channel, thread_ts: thread, user } = message;
    const typed = parseCommandText(command, text);
    if (typed.kind === 'usage') {
      const name = typedCommand(runner.names, 'slack', command.name);
      const texts = textsFor((await people.find(user)).locale);
      const origin = { client: clients.writes, channel, thread, user, texts };
      const markdown = renderUsage({ name, command, problem: typed.problem, texts });
      return tellRequester(origin, { markdown }, sleep);
    }
    const { name, action } = typed;
    const purpose = {
      command: command.name,
      ...(name !== undefined && { action: name }),
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
    try {
      const { messages = [] } = await clients.calls.conversations.replies(place);
      return withFilesOf.parse(messages.find((each) => each.ts === ts) ?? {}).files;
    } catch (error) {
      throw toPlatformError(error);
    }
  }

  return createSaidReader(tools, run);
}
