import { ContentTooLarge } from '../contents.ts';
import { type Block, elementsOf } from './block.ts';
import type { Delivered } from './delivery.ts';
import type { Files, SlackFile, Upload } from './files.ts';
import type { SlackView } from './model.ts';
import type { Parts } from './parts.ts';
import { SlackError } from './slack-error.ts';
import type { Suggestions } from './suggestions.ts';
import { type Dropped, type FilledIn, formErrors, toViewValues } from './view-state.ts';
import { parseView } from './views.ts';

/** A submitted modal, with its values and files by action id. */
interface Submission {
  user: string;
  /** The id of the modal. */
  view: string;
  values?: FilledIn;
  files?: Dropped;
}

/** The result of submitting a modal. */
type SubmitResult =
  | { outcome: 'closed' | 'cleared' }
  /** By block id; the modal stays open. */
  | { outcome: 'errors'; errors: Record<string, string> }
  | { outcome: 'updated' | 'pushed'; view: SlackView }
  /** The app did not respond, or with something that Slack rejects; the modal stays open. */
  | { outcome: 'failed'; reason: string };

/** Submitting and closing modals, as a person does. */
export interface Modals {
  submit(submission: Submission): Promise<SubmitResult>;
  /**
   * Closes a modal, and tells the app if the modal has `notify_on_close`.
   * @throws {Error} when there is no such modal
   */
  close(view: string): Promise<void>;
}

/** docs.slack.dev/surfaces/modals. */
export function createModals(parts: Parts, suggestions: Suggestions): Modals {
  const { delivery, files, payloads, views } = parts;

  async function submit(submission: Submission): Promise<SubmitResult> {
    const { user, values: filledIn = {}, files: dropped = {} } = submission;
    const view = views.reach(user, submission.view);
    const blocks = suggestions.offeredIn(view);
    const unsent = formErrors(blocks, toViewValues(blocks, filledIn), dropped);
    if (isFilled(unsent)) return { outcome: 'errors', errors: unsent };
    const { sent, errors } = await receiveFiles(files, user, blocks, dropped);
    if (isFilled(errors)) return { outcome: 'errors', errors };
    const values = toViewValues(blocks, filledIn, sent);

    const payload = {
      type: 'view_submission',
      ...payloads.common(user),
      view: { ...view, state: { values } },
      response_urls: [],
    };
    const delivered = await delivery.deliverOnce({ type: 'interactive', payload });
    return apply(user, view, delivered);
  }

  function apply(user: string, view: SlackView, delivered: Delivered): SubmitResult {
    if (!delivered.acknowledged) return failed('the app did not acknowledge in time');
    const answer = (delivered.response ?? {}) as {
      response_action?: unknown;
      errors?: unknown;
      view?: unknown;
    };
    try {
      switch (answer.response_action) {
        case 'errors':
          return { outcome: 'errors', errors: parseErrors(answer.errors) };
        case 'clear':
          views.clear(user);
          return { outcome: 'cleared' };
        case 'update':
          return { outcome: 'updated', view: views.update(view, parseView(answer.view)) };
        case 'push':
          return { outcome: 'pushed', view: views.push(user, parseView(answer.view)) };
        case undefined:
          views.close(view);
          return { outcome: 'closed' };
        default:
          return failed(`${JSON.stringify(answer.response_action)} is not a response_action`);
      }
    } catch (error) {
      if (error instanceof SlackError) return failed(error.message);
      throw error;
    }
  }

  return {
    submit,
    async close(id) {
      const view = views.find(id);
      const user = view && views.owner(view);
      if (!view || !user) throw new Error(`There is no open modal ${id}.`);
      views.close(view);
      if (!view.notify_on_close) return;
      const { trigger_id: _, ...common } = payloads.common(user);
      const payload = { type: 'view_closed', ...common, view, is_cleared: false };
      await delivery.deliverOnce({ type: 'interactive', payload });
    },
  };
}

function failed(reason: string): SubmitResult {
  return { outcome: 'failed', reason: `We had some trouble connecting. Try again? (${reason})` };
}

/** @throws {SlackError} when errors are not texts by block id */
function parseErrors(errors: unknown): Record<string, string> {
  const entries = typeof errors === 'object' && errors !== null ? Object.entries(errors) : [];
  const isFit = entries.length > 0 && entries.every(([, text]) => typeof text === 'string');
  if (isFit) return Object.fromEntries(entries);
  throw new SlackError('invalid_arguments', ['[ERROR] errors must be texts by block_id']);
}

function isFilled(errors: Record<string, string>): boolean {
  return Object.keys(errors).length > 0;
}

/** Max bytes of a file in a modal: docs.slack.dev, "File input element". */
const maxFileBytes = 10 * 1024 * 1024;

/**
 * Stores the files of a modal's file inputs. Returns them as Slack sends them, by action id, or the
 * errors by block id; with any error, no file is kept.
 */
async function receiveFiles(files: Files, user: string, blocks: Block[], dropped: Dropped) {
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
  if (isFilled(errors)) for (const file of received) files.remove(file);
  return { sent, errors };
}

/** Undefined if the file is larger than modals allow. */
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
