import { ContentTooLarge } from '../contents.ts';
import { elementsOf, type Block } from './block.ts';
import type { Files, SlackFile, Upload } from './files.ts';
import type { Dropped } from './view-state.ts';

interface FormFilesOptions {
  files: Files;
  user: string;
  blocks: Block[];
  dropped: Dropped;
}

/** Max bytes of a file in a form: docs.slack.dev, "File input element". */
const maxFileBytes = 10 * 1024 * 1024;

/**
 * Stores the files of a form's file inputs. Returns them as Slack sends them, by action id, or the
 * errors by block id; with any error, no file is kept.
 */
export async function receiveFormFiles({ files, user, blocks, dropped }: FormFilesOptions) {
  const received: SlackFile[] = [];
  const sent = new Map<string, object[]>();
  const errors: Record<string, string> = {};
  for (const { block, element } of elementsOf(blocks)) {
    const { type, action_id: actionId = '' } = element;
    if (type !== 'file_input') continue;
    const wired: object[] = [];
    sent.set(actionId, wired);
    for (const upload of dropped[actionId] ?? []) {
      const file = await store(files, user, upload);
      if (!file) errors[block.block_id ?? ''] = `${upload.name} is larger than 10 MB.`;
      else {
        received.push(file);
        wired.push(files.toWire(file));
      }
    }
  }
  if (Object.keys(errors).length > 0) for (const file of received) files.remove(file);
  return { sent, errors };
}

/** Undefined if the file is larger than forms allow. */
async function store(files: Files, user: string, upload: Upload): Promise<SlackFile | undefined> {
  try {
    const file = await files.store(user, upload);
    if (file.size <= maxFileBytes) return files.update(file, { submitted: true });
    files.remove(file);
  } catch (error) {
    if (!(error instanceof ContentTooLarge)) throw error;
  }
  return undefined;
}
