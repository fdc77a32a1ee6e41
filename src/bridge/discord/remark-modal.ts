import {
  type APIModalInteractionResponseCallbackData,
  ComponentType,
  type ModalSubmitInteraction,
  TextInputStyle,
} from 'discord.js';
import { maxRemarkLength } from '../conversation/buttons.ts';
import type { Texts } from '../texts/texts.ts';
import { readModal } from './modal.ts';

const fieldId = 'remark';

const modalId = /^causeway:remark:(.{1,64})$/;

/** The form that asks why an answer was not helpful: one line, which may stay empty. */
export function renderRemarkModal(
  turn: string,
  { thread: { remark } }: Texts,
): APIModalInteractionResponseCallbackData {
  return {
    custom_id: `causeway:remark:${turn}`,
    title: remark.title,
    components: [
      {
        type: ComponentType.Label,
        label: remark.label,
        description: remark.hint,
        component: {
          type: ComponentType.TextInput,
          custom_id: fieldId,
          style: TextInputStyle.Short,
          max_length: maxRemarkLength,
          required: false,
        },
      },
    ],
  };
}

/** The turn and the remark of a submitted form; undefined if the form is another one. */
export function readRemark({
  customId,
  fields,
}: ModalSubmitInteraction): { turn: string; remark: string } | undefined {
  const turn = modalId.exec(customId)?.[1];
  const { [fieldId]: remark = '' } = readModal(fields.fields.values());
  return turn === undefined ? undefined : { turn, remark: remark.trim() };
}
