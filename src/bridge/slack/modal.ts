import type { types } from '@slack/bolt';
import { z } from 'zod';
import type { Action } from '../commands/command.ts';
import { isSubject, describeOption, labelOf, titleOf } from '../commands/adapters/modal-values.ts';
import type { Suggestion } from '../commands/invocation.ts';
import type { Option } from '../commands/option.ts';
import type { Reading } from '../commands/runner/parse-scalar.ts';
import { problemWith } from '../commands/runner/parse-values.ts';
import type { Texts } from '../texts/texts.ts';
import { shorten } from '../../shared/primitives/text.ts';
import { slackFile, type SlackFile } from './files.ts';
import { maxFieldLength, plainText, renderField } from './modal-fields.ts';

/** The callback_id of our modals. */
export const modalId = 'causeway_command';

const maxTitleLength = 24;

const purpose = z.object({
  command: z.string(),
  action: z.string().optional(),
  channel: z.string(),
  thread: z.string().optional(),
  responseUrl: z.string(),
  /** `which`: asks what to change, before the modal with the current values opens. */
  stage: z.literal('which').optional(),
  /** Values that the modal doesn't ask for. */
  preset: z.record(z.string(), z.string()).optional(),
  /** The files of the message that the modal is about. */
  files: z.array(z.object({ id: z.string(), name: z.string(), size: z.number() })).optional(),
});

/** What a modal is for; stored in its private_metadata. */
export type ModalPurpose = z.infer<typeof purpose>;

/** Renders a modal with a field for each of the action's options, filled in with what was typed. */
export function renderModal(options: {
  action: Action;
  values: Record<string, string>;
  purpose: ModalPurpose;
  /** What the values of references refer to, by option. */
  chosen?: Record<string, Suggestion[]>;
  maxFileBytes?: number;
  texts: Texts;
}): types.ModalView {
  const { action, values, purpose, chosen = {}, maxFileBytes, texts } = options;
  const fields = fieldsOf(action, purpose).map(([name, option]): types.InputBlock => ({
    type: 'input',
    block_id: name,
    label: plainText(labelOf(name, texts)),
    hint: plainText(describeOption(option, texts, { maxFieldLength, maxFileBytes })),
    optional: !option.required,
    element: renderField(name, option, { value: values[name], chosen: chosen[name], texts }),
  }));
  return {
    type: 'modal',
    callback_id: modalId,
    title: plainText(shorten(titleOf(action, texts), maxTitleLength)),
    submit: plainText(texts.forms.send),
    close: plainText(texts.forms.cancel),
    private_metadata: JSON.stringify(purpose),
    blocks: [...renderFiles(purpose, texts), ...fields],
  };
}

function renderFiles({ files = [] }: ModalPurpose, texts: Texts): types.SectionBlock[] {
  if (files.length === 0) return [];
  const names = files.map(({ name, size }) => `• ${name} (${texts.size(size)})`);
  return [{ type: 'section', text: plainText(names.join('\n')) }];
}

/**
 * The options that a modal asks for: all of the action's options, without files and values that the
 * modal already has; or, at stage `which`, only the thing to change.
 */
export function fieldsOf(
  action: Action,
  { stage, files, preset = {} }: Pick<ModalPurpose, 'stage' | 'files' | 'preset'>,
): [string, Option][] {
  const options = Object.entries(action.options);
  if (stage === 'which') return options.filter(([, option]) => isSubject(option));
  return options.filter(
    ([name, { type }]) => !Object.hasOwn(preset, name) && !(files && type === 'file'),
  );
}

/** A submitted modal: what it is for, and the text or files of each field that was filled in. */
export interface FilledModal {
  purpose: ModalPurpose;
  values: Record<string, string | SlackFile | SlackFile[]>;
}

const chosen = z.object({ value: z.string() });

const filledField = z
  .object({
    value: z.string().nullish(),
    selected_option: chosen.nullish(),
    selected_options: z.array(chosen).optional(),
    selected_date: z.string().nullish(),
    selected_conversation: z.string().nullish(),
    selected_user: z.string().nullish(),
    files: z.array(slackFile).optional(),
  })
  .transform(({ value, files, ...field }) => {
    if (files && files.length > 0) return files.length > 1 ? files : files[0];
    const several = field.selected_options?.map((option) => option.value).join(', ');
    const id = field.selected_conversation ?? field.selected_user;
    return value ?? field.selected_option?.value ?? field.selected_date ?? id ?? several;
  });

/** Parses the private_metadata of a modal. */
const modalMetadata = z.string().transform((text, context) => {
  const { data } = purpose.safeParse(parseJson(text));
  if (data) return data;
  context.addIssue('not a modal of ours');
  return z.NEVER;
});

/** A field as the modal showed it, if it is a multi-select menu. */
const element = z.object({
  action_id: z.string().default(''),
  initial_options: z.array(z.unknown()).default([]),
});

const filledModal = z.object({
  private_metadata: modalMetadata,
  blocks: z.array(z.object({ element: element.optional() })).default([]),
  state: z.object({
    values: z.record(z.string(), z.record(z.string(), filledField)),
  }),
});

/** Parses the view of a view_submission; undefined if the modal is not ours. */
export function parseModal(view: unknown): FilledModal | undefined {
  const { data } = filledModal.safeParse(view);
  if (!data) return undefined;
  const values: FilledModal['values'] = {};
  for (const fields of Object.values(data.state.values)) {
    for (const [name, given] of Object.entries(fields)) {
      if (given) values[name] = given;
    }
  }
  for (const { element } of data.blocks) {
    // A cleared menu is not the same as one that was never filled in.
    if (element && element.initial_options.length > 0) values[element.action_id] ??= '';
  }
  return { purpose: data.private_metadata, values };
}

/** Parses what a modal is for; undefined if the modal is not ours. */
export function parsePurpose(view: { private_metadata: string }): ModalPurpose | undefined {
  return modalMetadata.safeParse(view.private_metadata).data;
}

/** Undefined if the text is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What is wrong with the values, by field, for Slack to show below each field. */
export function modalProblems(
  action: Action,
  { values, purpose }: Pick<FilledModal, 'values'> & { purpose?: ModalPurpose },
  limits: { maxFileBytes: number; reading: Reading },
): Record<string, string> {
  const problems: Record<string, string> = {};
  for (const [name, option] of fieldsOf(action, purpose ?? {})) {
    const problem = fieldProblem(option, values[name], limits);
    if (problem) problems[name] = problem;
  }
  return problems;
}

function fieldProblem(
  option: Option,
  value: FilledModal['values'][string] | undefined,
  { maxFileBytes, reading }: { maxFileBytes: number; reading: Reading },
): string | undefined {
  if (option.type !== 'file' || value === undefined || typeof value === 'string') {
    if (typeof value === 'object') return reading.texts.invalid.noText;
    return problemWith(option, value, reading);
  }
  const large = [value].flat().find(({ size }) => size > maxFileBytes);
  const { size, source } = reading.texts;
  return large && source.fileTooLarge(size(large.size), size(maxFileBytes));
}
