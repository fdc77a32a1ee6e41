import type { types } from '@slack/bolt';
import { z } from 'zod';
import type { Action } from '../commands/command.ts';
import type { Suggestion } from '../commands/invocation.ts';
import type { Option } from '../commands/option.ts';
import type { Reading } from '../commands/parse-scalar.ts';
import { problemWith } from '../commands/parse-values.ts';
import { slackFile, type SlackFile } from './files.ts';
import { plainText, renderField } from './form-field.ts';

/** The callback_id by which Slack tells us that a form of ours was sent in. */
export const formId = 'causeway_command';

const longestTitle = 24;

const purpose = z.object({
  command: z.string(),
  action: z.string().optional(),
  channel: z.string(),
  responseUrl: z.string(),
  /** `which`: it asks what is to be changed, before a form with what stands there now. */
  stage: z.literal('which').optional(),
});

/** What a form is for; travels with it as its private_metadata. */
export type FormPurpose = z.infer<typeof purpose>;

/** A form with a field for each of the action's options, what was typed already filled in. */
export function renderForm(options: {
  title: string;
  action: Action;
  values: Record<string, string>;
  purpose: FormPurpose;
  /** What can be chosen, by option. */
  suggestions?: Record<string, Suggestion[]>;
}): types.ModalView {
  const { title, action, values, purpose, suggestions = {} } = options;
  return {
    type: 'modal',
    callback_id: formId,
    title: plainText(title.length > longestTitle ? `${title.slice(0, longestTitle - 1)}…` : title),
    submit: plainText('Send'),
    close: plainText('Cancel'),
    private_metadata: JSON.stringify(purpose),
    blocks: fieldsOf(action, purpose).map(([name, option]) => ({
      type: 'input',
      block_id: name,
      label: plainText(name[0] ? name[0].toUpperCase() + name.slice(1) : name),
      hint: plainText(option.description),
      optional: !option.required,
      element: renderField(name, option, { value: values[name], suggestions: suggestions[name] }),
    })),
  };
}

/** All of an action's options, or, where it is to be found out which thing is changed, that alone. */
export function fieldsOf(
  action: Action,
  { stage }: Pick<FormPurpose, 'stage'>,
): [string, Option][] {
  const options = Object.entries(action.options);
  return stage === 'which' ? options.filter(([, option]) => isWhich(option)) : options;
}

/** Whether an option says which thing an action is about. */
export function isWhich(option: Option): boolean {
  return option.type === 'reference' && option.required === true;
}

/** A form that was sent in: what it is for, and a text or a file for each field that was filled in. */
export interface FilledForm {
  purpose: FormPurpose;
  values: Record<string, string | SlackFile | SlackFile[]>;
}

const chosen = z.object({ value: z.string() });

const filledField = z
  .object({
    value: z.string().nullish(),
    selected_option: chosen.nullish(),
    selected_options: z.array(chosen).optional(),
    selected_date: z.string().nullish(),
    files: z.array(slackFile).optional(),
  })
  .transform(({ value, files, ...field }) => {
    if (files && files.length > 0) return files.length > 1 ? files : files[0];
    const several = field.selected_options?.map((option) => option.value).join(', ');
    return value ?? field.selected_option?.value ?? field.selected_date ?? several;
  });

const filledForm = z.object({
  private_metadata: z.string().transform((text, context) => {
    const { data } = purpose.safeParse(parseJson(text));
    if (data) return data;
    context.addIssue('not a form of ours');
    return z.NEVER;
  }),
  state: z.object({
    values: z.record(z.string(), z.record(z.string(), filledField)),
  }),
});

/** The view of a view_submission, or undefined where it is no form of ours. */
export function parseForm(view: unknown): FilledForm | undefined {
  const { data } = filledForm.safeParse(view);
  if (!data) return undefined;
  const values: FilledForm['values'] = {};
  for (const fields of Object.values(data.state.values)) {
    for (const [name, given] of Object.entries(fields)) {
      if (given) values[name] = given;
    }
  }
  return { purpose: data.private_metadata, values };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What is wrong with what was filled in, by field, for Slack to show there. */
export function formProblems(
  action: Action,
  { values, purpose }: Pick<FilledForm, 'values'> & { purpose?: FormPurpose },
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
  value: FilledForm['values'][string] | undefined,
  { maxFileBytes, reading }: { maxFileBytes: number; reading: Reading },
): string | undefined {
  if (option.type !== 'file' || value === undefined || typeof value === 'string') {
    if (typeof value === 'object') return reading.texts.problems.noText;
    return problemWith(option, value, reading);
  }
  const large = [value].flat().find(({ size }) => size > maxFileBytes);
  return large && tooLarge(large.size, maxFileBytes);
}

function tooLarge(size: number, most: number): string {
  return `This file has ${renderMegabytes(size)}; ${renderMegabytes(most)} are allowed.`;
}

function renderMegabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1e5) / 10} MB`;
}
