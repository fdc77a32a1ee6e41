import type { App } from '@slack/bolt';
import { z } from 'zod';
import type { Command } from '../commands/command.ts';
import { findAction, listShortcuts, type Shortcut } from '../commands/invocation.ts';
import { maxFiles } from '../commands/files.ts';
import type { Option } from '../commands/option.ts';
import { inTime } from '../../shared/primitives/time.ts';
import { shorten } from '../../shared/primitives/text.ts';
import { type Texts, textsFor } from '../texts/texts.ts';
import { slackFile } from './files.ts';
import {
  forwards,
  mentionedUsers,
  namesOf,
  toReadableText,
  withoutMention,
} from './incoming-message.ts';
import type { ModalPurpose } from './modal.ts';
import { maxFieldLength } from './modal-fields.ts';
import { openModal } from './modal-handlers.ts';
import { shortcutId } from './manifest.ts';
import { createResponder, tellRequester } from './result-target.ts';
import { mayUse, runCommand } from './run-command.ts';
import type { SlackWorkspace, Workspaces } from './workspace.ts';

/** docs.slack.dev/reference/interaction-payloads/shortcuts-interaction-payload, message shortcuts. */
const used = z.object({
  trigger_id: z.string(),
  response_url: z.string(),
  user: z.object({ id: z.string() }),
  channel: z.object({ id: z.string() }),
  message: z.object({
    thread_ts: z.string().optional(),
    text: z.string().default(''),
    files: z.array(slackFile).default([]),
    attachments: forwards,
  }),
});

/** Slack waits three seconds for a modal. */
const namingMs = 700;

/** Short enough that a modal has room for the names of ten files. */
const maxNameLength = 100;

/** Opens an action's modal for the files or text of a message when someone uses its shortcut. */
export function handleShortcuts(
  app: App,
  commands: readonly Command[],
  workspaces: Workspaces,
): void {
  for (const shortcut of listShortcuts(commands)) {
    const callback = { type: 'message_action', callback_id: shortcutId(shortcut) } as const;
    app.shortcut(callback, async ({ body, ack }) => {
      await ack();
      const { data } = used.safeParse(body);
      const workspace = workspaces.of(body);
      if (data && workspace) workspace.running.start(use(shortcut, data, workspace), shortcut.name);
    });
  }
}

async function use(
  { command, action: name, takes, values: preset }: Shortcut,
  { trigger_id: id, response_url: responseUrl, user, channel, message }: z.infer<typeof used>,
  workspace: SlackWorkspace,
): Promise<void> {
  const { runner, clients, people, trustedOrigins, sleep } = workspace;
  const { thread_ts: thread } = message;
  const place = { channel: channel.id, thread };
  const responder = createResponder({ url: responseUrl, trustedOrigins, thread });
  const texts = textsFor((await people.find(user.id)).locale);
  const origin = { client: clients.writes, ...place, user: user.id, responder, texts };
  const tell = (markdown: string) => tellRequester(origin, { markdown }, sleep);
  const action = findAction(runner.commands, command, name);
  const option = action?.options[takes];
  if (!action || !option) return tell(texts.forms.outdated);
  const taken =
    option.type === 'file'
      ? takeFiles(message, texts)
      : { given: { [takes]: await readText(message, option, workspace) } };
  if ('problem' in taken) return tell(taken.problem);
  const { files, given = {} } = taken;
  if (given[takes] === '') return tell(texts.forms.noWords);
  const purpose = { command, action: name, ...place, responseUrl, files, preset };
  if (!(await mayUse(purpose, user.id, workspace))) {
    return runCommand({ purpose, user: user.id, values: {}, responder }, workspace);
  }
  await openModal({ id, user: user.id }, { purpose, action, given }, workspace);
}

type UsedMessage = z.infer<typeof used>['message'];

/** The files of a message and of those that it forwards, as far as a modal shows them. */
function takeFiles({ files: own, attachments }: UsedMessage, { forms }: Texts): Taken {
  const files = [...own, ...attachments.flatMap((forward) => forward.files)];
  if (files.length === 0) return { problem: forms.noFiles };
  if (files.length > maxFiles) return { problem: forms.tooManyFiles(files.length, maxFiles) };
  return {
    files: files.map((file) => ({
      id: file.id,
      name: (file.name || file.title || file.id).slice(-maxNameLength).toWellFormed(),
      size: file.size,
    })),
  };
}

/** What a modal takes of a message. */
type Taken =
  | { problem: string }
  | { files?: ModalPurpose['files']; given?: Record<string, string> };

/** What a message says, and those that it forwards, with names instead of ids; empty if nothing. */
async function readText(
  { text, attachments }: UsedMessage,
  option: Option,
  { people, identity, sleep }: SlackWorkspace,
): Promise<string> {
  const whole = [text, ...attachments.map((forward) => forward.text)].filter(Boolean).join('\n\n');
  const own = withoutMention(whole, identity().userId).text;
  const names = await inTime(namesOf(mentionedUsers(own), people), namingMs, sleep);
  const max = option.type === 'text' ? (option.maxLength ?? maxFieldLength) : maxFieldLength;
  return shorten(toReadableText(own, (id) => names?.get(id)).trim(), Math.min(max, maxFieldLength));
}
