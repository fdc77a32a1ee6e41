import { z } from 'zod';
import { maxFileBytes } from '../../contents.ts';
import { parseContent } from '../content.ts';
import type { Directory } from '../directory.ts';
import type { SlackFile } from '../files.ts';
import { byApp, inThreadOf } from '../model.ts';
import type { Parts } from '../parts.ts';
import { SlackError } from '../slack-error.ts';
import { type ApiMethod, apiMethod, json, optional, required, tiers } from './api-method.ts';
import { reachOwnChannel, reachThread } from './reach.ts';

const completed = json.pipe(
  z
    .array(z.object({ id: z.string(), title: z.string().optional() }))
    .min(1)
    .max(10),
);

/** docs.slack.dev/reference/methods, the family `files`. */
export function fileMethods(parts: Parts): Record<string, ApiMethod> {
  const { directory, files, messages, uploads, baseUrl } = parts;
  const { app } = directory;
  return {
    'files.info': apiMethod({
      limit: tiers.four,
      scope: 'files:read',
      arguments: { file: required },
      run({ file: id }) {
        const file = files.find(id);
        if (!file || !seesFile(directory, file)) throw new SlackError('file_not_found');
        const paging = { count: 100, page: 1, pages: 0 };
        return { file: files.toWire(file), comments: [], paging };
      },
    }),

    'files.getUploadURLExternal': apiMethod({
      limit: tiers.four,
      scope: 'files:write',
      arguments: { filename: required, length: z.coerce.number().int().min(1) },
      run({ filename, length }) {
        if (length > maxFileBytes) throw new SlackError('file_upload_size_restricted');
        const { id, ticket } = uploads.announce({ name: filename, files, by: app.botUser });
        return { upload_url: `${baseUrl()}/files/upload/${ticket}`, file_id: id };
      },
    }),

    'files.completeUploadExternal': apiMethod({
      limit: tiers.four,
      scope: 'files:write',
      arguments: {
        files: completed,
        channel_id: optional,
        thread_ts: optional,
        initial_comment: optional,
        blocks: json,
      },
      run({ files: wanted, channel_id, thread_ts, initial_comment: text, blocks }) {
        const channel = channel_id ? reachOwnChannel(directory, channel_id) : undefined;
        const root =
          channel && thread_ts ? reachThread(messages, channel.id, thread_ts) : undefined;
        const said = text || blocks !== undefined ? parseContent({ text, blocks }) : {};
        const shared = wanted.map(({ id, title }) => {
          const stored = uploads.claim(id);
          if (!stored) throw new SlackError('file_not_found');
          const channels = channel ? [channel.id] : [];
          return files.update(stored, { title: title ?? stored.name, channels });
        });
        if (channel) {
          messages.post({
            channel: channel.id,
            ...byApp(app),
            subtype: 'file_share',
            text: said.text ?? '',
            blocks: said.blocks,
            files: shared,
            ...(root && inThreadOf(root)),
          });
        }
        return { files: shared.map((file) => files.toWire(file)) };
      },
    }),
  };
}

/**
 * Whether the app can read a file: its own, one in a channel its bot is in, or one submitted to it.
 */
export function seesFile(directory: Directory, file: SlackFile): boolean {
  if (file.submitted || file.user === directory.app.botUser) return true;
  const sharedIn = file.channels.flatMap((id) => directory.channel(id) ?? []);
  return sharedIn.some((channel) => directory.hasBot(channel));
}
