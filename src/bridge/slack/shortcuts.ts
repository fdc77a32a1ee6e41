import type { App } from '@slack/bolt';
import { z } from 'zod';
import { findAction, listShortcuts, type Shortcut } from '../commands/invocation.ts';
import { maxFiles } from '../commands/files.ts';
import { textsFor } from '../texts/texts.ts';
import { slackFile } from './files.ts';
import { forwards } from './incoming-message.ts';
import type { Modals, ModalTools } from './modal-handlers.ts';
import { shortcutId } from './manifest.ts';
import { createResponder, tellRequester } from './result-target.ts';
import { mayUse, runCommand } from './run-command.ts';

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
export function handleShortcuts(app: App, modals: Modals, tools: ModalTools): void {
  const { runner, clients, people, trustedOrigins, running, sleep } = tools;

  async function use(shortcut: Shortcut, payload: z.infer<typeof used>): Promise<void> {
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
    if (!(await mayUse(purpose, user.id, tools))) {
      return runCommand({ purpose, user: user.id, values: {}, responder }, tools);
    }
    await modals.open({ id, user: user.id }, purpose, action, {});
  }

  for (const shortcut of listShortcuts(runner.commands)) {
    const callback = { type: 'message_action', callback_id: shortcutId(shortcut) } as const;
    app.shortcut(callback, async ({ body, ack }) => {
      await ack();
      const { data } = used.safeParse(body);
      if (data) running.start(use(shortcut, data), shortcut.name);
    });
  }
}
