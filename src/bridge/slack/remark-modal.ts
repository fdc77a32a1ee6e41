import type { App, types, ViewSubmitAction, webApi } from '@slack/bolt';
import { z } from 'zod';
import { maxRemarkLength } from '../conversation/buttons.ts';
import type { ButtonPress } from '../conversation/platform.ts';
import type { Texts } from '../texts/texts.ts';
import { plainText } from './modal-fields.ts';

const modalId = 'causeway_remark';
const fieldId = 'remark';

/** Where “Not helpful” was pressed, and below which turn; stored in the modal's private_metadata. */
const Pressed = z.object({ turn: z.string(), channel: z.string(), thread: z.string().optional() });
type Pressed = z.infer<typeof Pressed>;

/**
 * Asks why an answer was not helpful: one line, which may stay empty. To be opened within three
 * seconds of the press.
 */
export async function askForRemark(
  client: webApi.WebClient,
  trigger: string,
  pressed: Pressed,
  { thread, forms }: Texts,
): Promise<void> {
  const { title, label, hint, skip } = thread.remark;
  const view: types.ModalView = {
    type: 'modal',
    callback_id: modalId,
    title: plainText(title),
    submit: plainText(forms.send),
    close: plainText(skip),
    private_metadata: JSON.stringify(pressed),
    blocks: [
      {
        type: 'input',
        block_id: fieldId,
        label: plainText(label),
        hint: plainText(hint),
        optional: true,
        element: { type: 'plain_text_input', action_id: fieldId, max_length: maxRemarkLength },
      },
    ],
  };
  await client.views.open({ trigger_id: trigger, view });
}

const submitted = z.object({
  id: z.string(),
  private_metadata: z.string(),
  state: z.object({
    values: z.object({
      [fieldId]: z.object({ [fieldId]: z.object({ value: z.string().nullish() }) }),
    }),
  }),
});

/** Reports remarks that were sent, each as part of the press before it. */
export function handleRemarks(
  app: App,
  report: (
    body: ViewSubmitAction,
    pressed: Pressed & Required<Pick<ButtonPress, 'id' | 'remark'>>,
    ack: () => Promise<void>,
  ) => Promise<void>,
): void {
  app.view<ViewSubmitAction>(modalId, async ({ view, body, ack }) => {
    const { id, private_metadata: metadata, state } = submitted.parse(view);
    const remark = state.values[fieldId][fieldId].value?.trim();
    if (!remark) return ack();
    const pressed = Pressed.parse(JSON.parse(metadata));
    await report(body, { ...pressed, id, remark }, () => ack());
  });
}
