import { z } from 'zod';
import type { Block } from './block.ts';
import { modalBlocks, sameIds } from './block-validation.ts';
import { complaints } from './complaints.ts';
import { plainText } from './elements.ts';
import { SlackError } from './slack-error.ts';

interface PlainText {
  type: 'plain_text';
  text: string;
}

/** A modal as the app defines it. */
export interface ViewDefinition {
  type: 'modal';
  title: PlainText;
  submit?: PlainText;
  close?: PlainText;
  blocks: Block[];
  private_metadata?: string;
  callback_id?: string;
  external_id?: string;
  clear_on_close?: boolean;
  notify_on_close?: boolean;
}

/** An open modal, as Slack sends it. */
export interface SlackView extends ViewDefinition {
  id: string;
  team_id: string;
  app_id: string;
  bot_id: string;
  hash: string;
  root_view_id: string;
  previous_view_id: string | null;
  state: { values: Record<string, Record<string, object>> };
}

const definition = z.strictObject({
  type: z.literal('modal'),
  title: plainText(24),
  submit: plainText(24).nullish(),
  close: plainText(24).nullish(),
  blocks: modalBlocks,
  private_metadata: z.string().max(3_000).optional(),
  callback_id: z.string().max(255).optional(),
  external_id: z.string().max(255).optional(),
  clear_on_close: z.boolean().optional(),
  notify_on_close: z.boolean().optional(),
  submit_disabled: z.boolean().optional(),
});

/**
 * Checks a modal.
 * @throws {SlackError} `invalid_arguments`, with messages that point at the field
 */
export function parseView(value: unknown): ViewDefinition {
  const found = complaints(definition, value, '/view');
  if (found.length > 0) throw new SlackError('invalid_arguments', found);
  const view = value as ViewDefinition;
  found.push(...sameIds(view.blocks, '/view/blocks'));
  if (!view.submit && view.blocks.some(({ type }) => type === 'input')) {
    found.push('[ERROR] missing required field: submit [json-pointer:/view]');
  }
  if (found.length > 0) throw new SlackError('invalid_arguments', found);
  return view;
}
