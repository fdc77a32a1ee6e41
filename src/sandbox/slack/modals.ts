import type { Delivered, Delivery } from './delivery.ts';
import type { Files } from './files.ts';
import { receiveFormFiles } from './form-files.ts';
import type { InteractionPayloads } from './interaction-payloads.ts';
import { SlackError } from './slack-error.ts';
import type { Suggestions } from './suggestions.ts';
import { formErrors, toViewValues, type Dropped, type FilledIn } from './view-state.ts';
import { parseView, type SlackView } from './view.ts';
import type { Views } from './views.ts';

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
   * Closes a modal; the app is told when it asked to be.
   * @throws {Error} when there is no such modal
   */
  close(view: string): Promise<void>;
}

interface ModalsOptions {
  delivery: Delivery;
  files: Files;
  payloads: InteractionPayloads;
  suggestions: Suggestions;
  views: Views;
}

/** docs.slack.dev/surfaces/modals. */
export function createModals(options: ModalsOptions): Modals {
  const { delivery, files, payloads, suggestions, views } = options;

  function reach(id: string): { view: SlackView; user: string } {
    const view = views.find(id);
    const user = view && views.owner(view);
    if (!view || !user) throw new Error(`There is no open modal ${id}.`);
    return { view, user };
  }

  async function submit(submission: Submission): Promise<SubmitResult> {
    const { user, values: filledIn = {}, files: dropped = {} } = submission;
    const { view, user: owner } = reach(submission.view);
    if (owner !== user) throw new Error(`The modal ${view.id} is not ${user}'s.`);
    const blocks = suggestions.offeredIn(view);
    const unsent = formErrors(blocks, toViewValues(blocks, filledIn), dropped);
    if (isFilled(unsent)) return { outcome: 'errors', errors: unsent };
    const { sent, errors } = await receiveFormFiles({ files, user, blocks, dropped });
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
      const { view, user } = reach(id);
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
