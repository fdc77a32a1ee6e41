import { SlackError } from '../slack-error.ts';
import type { Triggers } from '../triggers.ts';
import { type Views } from '../views.ts';
import { apiMethod, tiers, type ApiMethod } from './api-method.ts';
import { json, optional, required } from './arguments.ts';
import { parseView } from '../view.ts';

/** What these methods work on. */
export interface ViewsOptions {
  views: Views;
  triggers: Triggers;
}

/** docs.slack.dev/reference/methods, the family `views`, for modals. */
export function viewsMethods({ views, triggers }: ViewsOptions): Record<string, ApiMethod> {
  return {
    'views.open': apiMethod({
      limit: tiers.four,
      arguments: { trigger_id: required, view: json },
      run({ trigger_id, view }) {
        const definition = parseView(view);
        return { view: views.open(triggers.exchange(trigger_id), definition) };
      },
    }),

    'views.push': apiMethod({
      limit: tiers.four,
      arguments: { trigger_id: required, view: json },
      run({ trigger_id, view }) {
        const definition = parseView(view);
        return { view: views.push(triggers.exchange(trigger_id), definition) };
      },
    }),

    'views.update': apiMethod({
      limit: tiers.four,
      arguments: { view_id: optional, external_id: optional, hash: optional, view: json },
      run({ view_id, external_id, hash, view }) {
        const definition = parseView(view);
        const id = view_id ?? external_id;
        if (!id) {
          throw new SlackError('invalid_arguments', ['[ERROR] missing required field: view_id']);
        }
        const open = views.find(id);
        if (!open) throw new SlackError('not_found');
        return { view: views.update(open, definition, hash) };
      },
    }),
  };
}
