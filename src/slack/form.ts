import type { types } from '@slack/bolt';
import { z } from 'zod';
import type { Action, Option } from '../commands/command.ts';
import { slackFile, type SlackFile } from './files.ts';

/** The callback_id by which Slack tells us that a form of ours was sent in. */
export const formId = 'causeway_command';

/** Slack's own limit for a text field: docs.slack.dev, "Plain-text input element". */
const longestField = 3_000;
const longestTitle = 24;

const purpose = z.object({
  command: z.string(),
  action: z.string().optional(),
  channel: z.string(),
  responseUrl: z.string(),
});

/** What a form is for; travels with it as its private_metadata. */
export type FormPurpose = z.infer<typeof purpose>;

/** A form with a field for each of the action's options, what was typed already filled in. */
export function renderForm(options: {
  title: string;
  action: Action;
  values: Record<string, string>;
  purpose: FormPurpose;
}): types.ModalView {
  const { title, action, values, purpose } = options;
  return {
    type: 'modal',
    callback_id: formId,
    title: plainText(title.length > longestTitle ? `${title.slice(0, longestTitle - 1)}…` : title),
    submit: plainText('Send'),
    close: plainText('Cancel'),
    private_metadata: JSON.stringify(purpose),
    blocks: Object.entries(action.options).map(([name, option]) => ({
      type: 'input',
      block_id: name,
      label: plainText(name[0] ? name[0].toUpperCase() + name.slice(1) : name),
      hint: plainText(option.description),
      optional: !option.required,
      element: renderField(name, option, values[name]),
    })),
  };
}

function renderField(
  name: string,
  option: Option,
  value: string | undefined,
): types.PlainTextInput | types.FileInput {
  if (option.type === 'file') return { type: 'file_input', action_id: name, max_files: 1 };
  const longest = Math.min(option.maxLength ?? longestField, longestField);
  return {
    type: 'plain_text_input',
    action_id: name,
    multiline: option.multiline ?? false,
    max_length: longest,
    ...(value && { initial_value: value.slice(0, longest) }),
  };
}

function plainText(text: string): types.PlainTextElement {
  return { type: 'plain_text', text };
}

/** A form that was sent in: what it is for, and a text or a file for each field that was filled in. */
export interface FilledForm {
  purpose: FormPurpose;
  values: Record<string, string | SlackFile>;
}

const filledForm = z.object({
  private_metadata: z.string().transform((text, context) => {
    const { data } = purpose.safeParse(parseJson(text));
    if (data) return data;
    context.addIssue('not a form of ours');
    return z.NEVER;
  }),
  state: z.object({
    values: z.record(
      z.string(),
      z.record(
        z.string(),
        z.object({ value: z.string().nullish(), files: z.array(slackFile).optional() }),
      ),
    ),
  }),
});

/** The view of a view_submission, or undefined where it is no form of ours. */
export function parseForm(view: unknown): FilledForm | undefined {
  const { data } = filledForm.safeParse(view);
  if (!data) return undefined;
  const values: FilledForm['values'] = {};
  for (const fields of Object.values(data.state.values)) {
    for (const [name, { value, files }] of Object.entries(fields)) {
      const given = files?.[0] ?? value;
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
  values: FilledForm['values'],
  maxFileBytes: number,
): Record<string, string> {
  const problems: Record<string, string> = {};
  for (const [name, option] of Object.entries(action.options)) {
    const problem = fieldProblem(option, values[name], maxFileBytes);
    if (problem) problems[name] = problem;
  }
  return problems;
}

function fieldProblem(
  option: Option,
  value: string | SlackFile | undefined,
  maxFileBytes: number,
): string | undefined {
  if (value === undefined || (typeof value === 'string' && value.trim() === '')) {
    return option.required ? 'This is needed.' : undefined;
  }
  if (option.type === 'file') {
    if (typeof value === 'string') return 'Choose a file.';
    return value.size > maxFileBytes ? tooLarge(value.size, maxFileBytes) : undefined;
  }
  if (typeof value !== 'string') return 'Write a text.';
  const most = option.maxLength ?? Infinity;
  return value.length > most
    ? `This has ${value.length} characters; ${most} are allowed.`
    : undefined;
}

function tooLarge(size: number, most: number): string {
  return `This file has ${renderMegabytes(size)}; ${renderMegabytes(most)} are allowed.`;
}

function renderMegabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1e5) / 10} MB`;
}
