import { z } from 'zod';

/** A plain_text object of at most `max` characters. */
export const plainText = (max: number) =>
  z.strictObject({
    type: z.literal('plain_text'),
    text: z.string().min(1).max(max),
    emoji: z.boolean().optional(),
  });

const mrkdwn = (max: number) =>
  z.strictObject({
    type: z.literal('mrkdwn'),
    text: z.string().min(1).max(max),
    verbatim: z.boolean().optional(),
  });

/** A plain_text or mrkdwn object of at most `max` characters. */
export const textObject = (max: number) =>
  z.discriminatedUnion('type', [plainText(max), mrkdwn(max)]);

const confirm = z.strictObject({
  title: plainText(100).optional(),
  text: textObject(300),
  confirm: plainText(30).optional(),
  deny: plainText(30).optional(),
  style: z.enum(['primary', 'danger']).optional(),
});

const actionable = { action_id: z.string().max(255).optional() };
const confirmable = { ...actionable, confirm: confirm.optional() };
const focusable = { ...actionable, focus_on_load: z.boolean().optional() };
const placeholder = { placeholder: plainText(150).optional() };
const select = { ...confirmable, ...focusable, ...placeholder };
const many = { max_selected_items: z.number().int().min(1).optional() };
const typed = {
  ...focusable,
  ...placeholder,
  initial_value: z.string().optional(),
  dispatch_action_config: z.object({}).optional(),
};

/** An option of a menu. */
export const option = z.strictObject({
  text: textObject(75),
  value: z.string().max(150),
  description: textObject(75).optional(),
  url: z.string().max(3_000).optional(),
});
export type Option = z.infer<typeof option>;
const options = z.array(option).min(1).max(100).optional();
/** Options in groups with headings. */
export const optionGroups = z
  .array(z.strictObject({ label: plainText(75), options: z.array(option).min(1).max(100) }))
  .min(1)
  .max(100)
  .optional();
const choices = { options, option_groups: optionGroups };
const fewOptions = z.array(option).min(1).max(10);
const ids = z.array(z.string()).optional();
const filter = z.object({}).optional();
const respondable = { response_url_enabled: z.boolean().optional() };

const element = <Type extends string, Shape extends z.core.$ZodLooseShape>(
  type: Type,
  shape: Shape,
) => z.strictObject({ type: z.literal(type), ...shape });

/** A button, in actions and as a section's accessory. */
export const button = element('button', {
  ...confirmable,
  text: plainText(75),
  value: z.string().max(2_000).optional(),
  url: z.string().max(3_000).optional(),
  style: z.enum(['primary', 'danger']).optional(),
  accessibility_label: z.string().max(75).optional(),
});

const staticSelect = element('static_select', {
  ...select,
  ...choices,
  initial_option: option.optional(),
});
const externalSelect = element('external_select', {
  ...select,
  initial_option: option.optional(),
  min_query_length: z.number().int().min(0).optional(),
});
const checkboxes = element('checkboxes', {
  ...confirmable,
  ...focusable,
  options: fewOptions,
  initial_options: z.array(option).optional(),
});
const radioButtons = element('radio_buttons', {
  ...confirmable,
  ...focusable,
  options: fewOptions,
  initial_option: option.optional(),
});

/** Elements to choose from: in actions, in inputs and as a section's accessory. */
export const choosers = [
  staticSelect,
  externalSelect,
  checkboxes,
  radioButtons,
  element('users_select', { ...select, initial_user: z.string().optional() }),
  element('channels_select', { ...select, ...respondable, initial_channel: z.string().optional() }),
  element('conversations_select', {
    ...select,
    ...respondable,
    initial_conversation: z.string().optional(),
    default_to_current_conversation: z.boolean().optional(),
    filter,
  }),
  element('multi_static_select', {
    ...select,
    ...many,
    ...choices,
    initial_options: z.array(option).optional(),
  }),
  element('multi_external_select', {
    ...select,
    ...many,
    initial_options: z.array(option).optional(),
    min_query_length: z.number().int().min(0).optional(),
  }),
  element('multi_users_select', { ...select, ...many, initial_users: ids }),
  element('multi_channels_select', { ...select, ...many, initial_channels: ids }),
  element('multi_conversations_select', {
    ...select,
    ...many,
    initial_conversations: ids,
    default_to_current_conversation: z.boolean().optional(),
    filter,
  }),
  element('datepicker', { ...select, initial_date: z.string().optional() }),
  element('timepicker', {
    ...select,
    initial_time: z.string().optional(),
    timezone: z.string().optional(),
  }),
  element('datetimepicker', { ...select, initial_date_time: z.number().int().optional() }),
] as const;

/** An overflow menu. */
export const overflow = element('overflow', {
  ...confirmable,
  options: z.array(option).min(1).max(5),
});

/** Elements to type into, in input blocks. */
export const inputs = [
  element('plain_text_input', {
    ...typed,
    multiline: z.boolean().optional(),
    min_length: z.number().int().min(0).max(3_000).optional(),
    max_length: z.number().int().min(1).max(3_000).optional(),
  }),
  element('email_text_input', typed),
  element('url_text_input', typed),
  element('number_input', {
    ...typed,
    is_decimal_allowed: z.boolean(),
    min_value: z.string().optional(),
    max_value: z.string().optional(),
  }),
] as const;

/** A file input; only for modals. */
export const fileInput = element('file_input', {
  ...actionable,
  filetypes: z.array(z.string()).optional(),
  max_files: z.number().int().min(1).max(10).optional(),
});

/** An image, in context blocks and as a section's accessory. */
export const image = z.looseObject({ type: z.literal('image'), alt_text: z.string().max(2_000) });

const feedbackButton = z.strictObject({
  text: plainText(75),
  value: z.string().max(2_000),
  accessibility_label: z.string().max(75).optional(),
});

/** Feedback buttons, in context_actions. */
export const feedbackButtons = element('feedback_buttons', {
  ...actionable,
  positive_button: feedbackButton,
  negative_button: feedbackButton,
});

/** An icon button, in context_actions. */
export const iconButton = element('icon_button', {
  ...confirmable,
  icon: z.string(),
  text: plainText(75),
  accessibility_label: z.string().max(75).optional(),
  value: z.string().max(2_000).optional(),
  visible_to_user_ids: ids,
});
