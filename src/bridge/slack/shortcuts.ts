import type { App } from '@slack/bolt';
import { z } from 'zod';
import type { Command } from '../commands/command.ts';
import { findAction, listShortcuts, type Shortcut } from '../commands/invocation.ts';
import { maxFiles } from '../commands/files.ts';
import { maxLengthOf } from '../commands/adapters/modal-values.ts';
import type { Option } from '../commands/option.ts';
import { inTime } from '../../shared/primitives/time.ts';
import { shorten } from '../../shared/primitives/text.ts';
import type { Texts } from '../texts/texts.ts';
import { slackFile } from './files.ts';
import { forwards, namesOf } from './incoming-message.ts';
import { mentionedUsers, toReadableText, withoutMention } from './message-text.ts';
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
    ts: z.string(),
    thread_ts: z.string().optional(),
    text: z.string().default(''),
    files: z.array(slackFile).default([]),
    attachments: forwards,
  }),
});

type Used = z.infer<typeof used>;

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
  { trigger_id: id, response_url: responseUrl, user, channel, message }: Used,
  workspace: SlackWorkspace,
): Promise<void> {
  const { runner, trustedOrigins } = workspace;
  const action = findAction(runner.commands, command, name);
  const option = action?.options[takes];
  const isFile = option?.type === 'file';
  // Below the first message of a thread, people may not see what is shown in the thread.
  const thread = isFile || message.thread_ts !== message.ts ? message.thread_ts : undefined;
  const place = { channel: channel.id, thread };
  const responder = createResponder({ url: responseUrl, trustedOrigins, thread });
  const tell = (render: (texts: Texts['forms']) => string) =>
    tellRequester(workspace, { ...place, user: user.id, responder }, ({ forms }) => render(forms));
  if (!action || !option) return tell(({ outdated }) => outdated);
  const found = isFile ? filesOf(message) : [];
  if (isFile && found.length === 0) return tell(({ noFiles }) => noFiles);
  if (found.length > maxFiles) return tell((forms) => forms.tooManyFiles(found.length, maxFiles));
  const text = isFile ? '' : await readText(message, option, workspace);
  if (!isFile && text === '') return tell(({ noWords }) => noWords);
  const files = isFile ? found : undefined;
  const purpose = { command, action: name, ...place, responseUrl, files, preset };
  if (!(await mayUse(purpose, user.id, workspace))) {
    return runCommand({ purpose, user: user.id, values: {}, responder }, workspace);
  }
  const given: Record<string, string> = isFile ? {} : { [takes]: text };
  await openModal({ id, user: user.id }, { purpose, action, given }, workspace);
}

/** The files of a message and of those that it forwards, as a modal shows them. */
function filesOf({ files, attachments }: Used['message']) {
  return [...files, ...attachments.flatMap((forward) => forward.files)].map((file) => ({
    id: file.id,
    name: (file.name || file.title || file.id).slice(-maxNameLength).toWellFormed(),
    size: file.size,
  }));
}

/** What a message says, and those that it forwards, with names instead of ids. */
async function readText(
  { text, attachments }: Used['message'],
  option: Option,
  { people, identity, sleep }: SlackWorkspace,
): Promise<string> {
  const whole = [text, ...attachments.map((forward) => forward.text)].filter(Boolean).join('\n\n');
  const own = withoutMention(whole, identity().userId).text;
  const names = await inTime(namesOf(mentionedUsers(own), people), namingMs, sleep);
  const readable = toReadableText(own, (id) => names?.get(id)).trim();
  return shorten(readable, maxLengthOf(option, maxFieldLength));
}
