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
    const min = input.required === false && value === '' ? 0 : (input.min_length ?? 1);
    checkCount(
      { custom_id, label },
      countCharacters(value),
      min,
      input.max_length ?? 4000,
      'characters',
    );
    return { type, id, custom_id, value };
  }
  if (input.type === ComponentType.StringSelect) {
    const chosen = input.options.filter((option) => option.default).map(({ value }) => value);
    const values = [given ?? chosen].flat();
    const unknown = values.find((value) => !input.options.some((option) => option.value === value));
    if (unknown !== undefined) throw mistake(`${label} has no option ${unknown}.`, custom_id);
    const isLeft = input.required === false && values.length === 0;
    const min = isLeft ? 0 : (input.min_values ?? 1);
    checkCount({ custom_id, label }, values.length, min, input.max_values ?? 1, 'options');
    return { type, id, custom_id, values };
  }
  const files = submission.answers.files?.[custom_id] ?? [];
  const isLeft = input.required === false && files.length === 0;
  const min = isLeft ? 0 : (input.min_values ?? 1);
  checkCount({ custom_id, label }, files.length, min, input.max_values ?? 1, 'files');
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

function checkCount(
  { custom_id: field, label }: { custom_id: string; label: string },
  count: number,
  min: number,
  max: number,
  of: string,
): void {
  if (count < min) throw mistake(`${label} needs at least ${min} ${of}.`, field);
  if (count > max) throw mistake(`${label} takes at most ${max} ${of}.`, field);
}

function checkNames({ components }: ShownModal, { values, files }: ModalAnswers): void {
  const known = new Set(inputIds(components));
  for (const name of [...Object.keys(values ?? {}), ...Object.keys(files ?? {})]) {
    if (!known.has(name)) throw mistake(`The form has no input ${name}.`);
  }
}
