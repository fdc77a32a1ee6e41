import type { App } from '@slack/bolt';
import { z } from 'zod';
import type { Command } from '../commands/command.ts';
import { findAction, listShortcuts, type Shortcut } from '../commands/invocation.ts';
import { maxFiles } from '../commands/files.ts';
import { textsFor } from '../texts/texts.ts';
import { slackFile } from './files.ts';
import { forwards } from './incoming-message.ts';
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
    files: z.array(slackFile).default([]),
    attachments: forwards,
  }),
});

/** Short enough that a modal has room for the names of ten files. */
const maxNameLength = 100;

/** Opens an action's modal for the files of a message when someone uses its shortcut. */
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
  shortcut: Shortcut,
  payload: z.infer<typeof used>,
  workspace: SlackWorkspace,
): Promise<void> {
  const { runner, clients, people, trustedOrigins, sleep } = workspace;
  const { command, action: name } = shortcut;
  const { trigger_id: id, response_url: responseUrl, user, channel, message } = payload;
  const { thread_ts: thread, attachments } = message;
  const files = [...message.files, ...attachments.flatMap((forward) => forward.files)];
  const place = { channel: channel.id, thread };
  const responder = createResponder({ url: responseUrl, trustedOrigins, thread });
  const texts = textsFor((await people.find(user.id)).locale);
  const { outdated, noFiles, tooManyFiles } = texts.forms;
  const origin = { client: clients.writes, ...place, user: user.id, responder, texts };
  const tell = (markdown: string) => tellRequester(origin, { markdown }, sleep);
  const action = findAction(runner.commands, command, name);
  if (!action) return tell(outdated);
  if (files.length === 0) return tell(noFiles);
  if (files.length > maxFiles) return tell(tooManyFiles(files.length, maxFiles));
  const shown = files.map((file) => ({
    id: file.id,
    name: (file.name || file.title || file.id).slice(-maxNameLength).toWellFormed(),
    size: file.size,
  }));
  const purpose = { command, action: name, ...place, responseUrl, files: shown };
  if (!(await mayUse(purpose, user.id, workspace))) {
    return runCommand({ purpose, user: user.id, values: {}, responder }, workspace);
  }
  await openModal({ id, user: user.id }, { purpose, action, given: {} }, workspace);
}
