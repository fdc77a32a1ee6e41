import { isOfType, type Upload } from '../attachments.ts';
import type { ShownModal } from '../changes.ts';
import { ComponentType } from '../messages/components.ts';
import { mistake } from '../refusals.ts';
import type { DiscordState } from '../state.ts';
import { countCharacters } from '../validation.ts';
import { inputIds, type ModalComponent, type ModalInput } from './modal-schema.ts';

/** The values of a modal, by the inputs' custom ids. */
export interface ModalAnswers {
  /** A text, or the values chosen in a select. */
  values?: Record<string, string | string[]>;
  files?: Record<string, Upload[]>;
}

interface Submission {
  state: DiscordState;
  modal: ShownModal;
  answers: ModalAnswers;
  attachments: Record<string, object>;
}

/**
 * The data of a submitted modal:
 * https://docs.discord.com/developers/interactions/receiving-and-responding#interaction-object-modal-submit-data-structure
 * @throws {DiscordRefusal} when Discord's client would not let the person submit it
 */
export async function fillIn(
  state: DiscordState,
  modal: ShownModal,
  answers: ModalAnswers,
): Promise<object> {
  checkNames(modal, answers);
  const submission: Submission = { state, modal, answers, attachments: {} };
  const components: object[] = [];
  for (const component of modal.components) {
    components.push(await fillComponent(submission, component));
  }
  const { attachments } = submission;
  const resolved = Object.keys(attachments).length > 0 ? { resolved: { attachments } } : {};
  return { custom_id: modal.customId, components, ...resolved };
}

async function fillComponent(submission: Submission, component: ModalComponent): Promise<object> {
  const { type, id } = component;
  if (component.type === ComponentType.Label) {
    const filled = await fillInput(submission, component.component, component.label);
    return { type, id, component: filled };
  }
  if (component.type === ComponentType.TextDisplay) return { type, id };
  const inputs: object[] = [];
  for (const input of component.components) {
    inputs.push(await fillInput(submission, input, input.label ?? input.custom_id));
  }
  return { type, id, components: inputs };
}

async function fillInput(
  submission: Submission,
  input: ModalInput,
  label: string,
): Promise<object> {
  const { type, id, custom_id } = input;
  const given = submission.answers.values?.[custom_id];
  if (input.type === ComponentType.TextInput) {
    const value = typeof given === 'string' ? given : (input.value ?? '');
    const { min_length: min, max_length } = input;
    const max = max_length ?? 4000;
    checkCount(input, label, { count: countCharacters(value), of: 'characters', min, max });
    return { type, id, custom_id, value };
  }
  if (input.type === ComponentType.StringSelect) {
    const chosen = input.options.filter((option) => option.default).map(({ value }) => value);
    const values = [given ?? chosen].flat();
    const unknown = values.find((value) => !input.options.some((option) => option.value === value));
    if (unknown !== undefined) throw mistake(`${label} has no option ${unknown}.`, custom_id);
    const { min_values: min, max_values: max } = input;
    checkCount(input, label, { count: values.length, of: 'options', min, max });
    return { type, id, custom_id, values };
  }
  const files = submission.answers.files?.[custom_id] ?? [];
  const { min_values: min, max_values: max } = input;
  checkCount(input, label, { count: files.length, of: 'files', min, max });
  const wrong = files.find(({ name }) => !isOfType(name, input.file_types));
  if (wrong) {
    const types = input.file_types?.join(', ');
    throw mistake(`${label} accepts only these file types: ${types}.`, custom_id);
  }
  return { type, id, custom_id, values: await storeFiles(submission, files) };
}

async function storeFiles(submission: Submission, files: Upload[]): Promise<string[]> {
  const { state, modal, attachments } = submission;
  const ids = await state.attachments.store(modal.channel, files, { ephemeral: true });
  for (const attachment of state.attachments.render(ids)) attachments[attachment.id] = attachment;
  return ids;
}

/** How much was given to an input, and what it takes: by default, exactly one. */
interface Given {
  count: number;
  of: 'characters' | 'options' | 'files';
  min?: number | null;
  max?: number | null;
}

function checkCount(input: ModalInput, label: string, { count, of, ...limits }: Given): void {
  const isLeft = input.required === false && count === 0;
  const min = isLeft ? 0 : (limits.min ?? 1);
  const max = limits.max ?? 1;
  if (count < min) throw mistake(`${label} needs at least ${min} ${of}.`, input.custom_id);
  if (count > max) throw mistake(`${label} takes at most ${max} ${of}.`, input.custom_id);
}

function checkNames({ components }: ShownModal, { values, files }: ModalAnswers): void {
  const known = new Set(inputIds(components));
  for (const name of [...Object.keys(values ?? {}), ...Object.keys(files ?? {})]) {
    if (!known.has(name)) throw mistake(`The form has no input ${name}.`);
  }
}
