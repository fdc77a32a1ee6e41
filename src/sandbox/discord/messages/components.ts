import { z } from 'zod';
import { addFault, list, snowflake, text } from '../validation.ts';

/** Any component, with the fields needed to traverse, use and show it. */
export interface Component {
  type: number;
  id?: number;
  custom_id?: string;
  disabled?: boolean;
  content?: string;
  label?: string | null;
  emoji?: { name?: string | null };
  /** A button's, or a text input's. */
  style?: number;
  url?: string;
  placeholder?: string | null;
  options?: { label: string; value: string; description?: string | null }[];
  min_values?: number | null;
  max_values?: number | null;
  components?: Component[];
  component?: Component;
  accessory?: Component;
}

/** Components and their descendants, in reading order. */
export function flatten(components: readonly Component[]): Component[] {
  return components.flatMap((component) => [
    component,
    ...flatten(component.components ?? []),
    ...flatten(component.component ? [component.component] : []),
    ...flatten(component.accessory ? [component.accessory] : []),
  ]);
}

/** A copy in which every component has an id; missing ids are numbered in reading order. */
export function numberComponents<T extends Component>(components: readonly T[]): T[] {
  const copy = structuredClone([...components]);
  const all = flatten(copy);
  const taken = new Set(all.map((component) => component.id));
  let next = 1;
  for (const component of all) {
    if (component.id) continue;
    while (taken.has(next)) next += 1;
    component.id = next;
    next += 1;
  }
  return copy;
}

/** https://docs.discord.com/developers/components/reference#component-object-component-types */
export const ComponentType = {
  ActionRow: 1,
  Button: 2,
  StringSelect: 3,
  TextInput: 4,
  UserSelect: 5,
  RoleSelect: 6,
  MentionableSelect: 7,
  ChannelSelect: 8,
  Section: 9,
  TextDisplay: 10,
  Thumbnail: 11,
  MediaGallery: 12,
  File: 13,
  Separator: 14,
  Container: 17,
  Label: 18,
  FileUpload: 19,
} as const;

const linkStyle = 5;
const premiumStyle = 6;
const id = z.int().min(0).optional();
const customId = text(1, 100);
const emoji = z.looseObject({ id: z.string().nullish(), name: z.string().nullish() });
const media = z.looseObject({ url: text(1, 2048) });

const button = z
  .object({
    type: z.literal(ComponentType.Button),
    id,
    style: z.int().min(1).max(6),
    label: text(0, 80).optional(),
    emoji: emoji.optional(),
    custom_id: customId.optional(),
    url: text(1, 512).optional(),
    sku_id: snowflake.optional(),
    disabled: z.boolean().optional(),
  })
  .superRefine((value, context) => {
    const key = { [linkStyle]: 'url', [premiumStyle]: 'sku_id' }[value.style] ?? 'custom_id';
    const present = { url: value.url, sku_id: value.sku_id, custom_id: value.custom_id }[key];
    if (present === undefined) {
      const message =
        key === 'custom_id' ? 'A custom id is required' : `A button of this style needs ${key}`;
      addFault(context, { code: 'BASE_TYPE_REQUIRED', message }, [key]);
    }
    if (value.style !== premiumStyle && !value.label && !value.emoji) {
      const code = 'BUTTON_COMPONENT_NO_TEXT_OR_EMOJI';
      addFault(context, { code, message: 'A button must have a label or an emoji' });
    }
  });

const selectFields = {
  id,
  custom_id: customId,
  placeholder: text(0, 150).optional(),
  min_values: z.int().min(0).max(25).default(1),
  max_values: z.int().min(1).max(25).default(1),
  disabled: z.boolean().optional(),
  required: z.boolean().optional(),
};

export const stringSelect = z.object({
  type: z.literal(ComponentType.StringSelect),
  ...selectFields,
  options: list(
    z.object({
      label: text(1, 100),
      value: text(1, 100),
      description: text(0, 100).nullish(),
      emoji: emoji.optional(),
      default: z.boolean().optional(),
    }),
    1,
    25,
  ),
});

const entitySelect = z.object({
  type: z.literal([
    ComponentType.UserSelect,
    ComponentType.RoleSelect,
    ComponentType.MentionableSelect,
    ComponentType.ChannelSelect,
  ]),
  ...selectFields,
  channel_types: z.array(z.int()).optional(),
  default_values: z.array(z.looseObject({ id: z.string() })).optional(),
});

const actionRow = z
  .object({
    type: z.literal(ComponentType.ActionRow),
    id,
    components: list(z.discriminatedUnion('type', [button, stringSelect, entitySelect]), 1, 5),
  })
  .superRefine(({ components }, context) => {
    const selects = components.filter(({ type }) => type !== ComponentType.Button);
    if (selects.length === 0 || components.length === 1) return;
    const message = 'A row holds up to five buttons or one select';
    addFault(context, { code: 'COMPONENT_LAYOUT_WIDTH_EXCEEDED', message }, ['components']);
  });

export const textDisplay = z.object({
  type: z.literal(ComponentType.TextDisplay),
  id,
  content: text(1, 4000),
});

const thumbnail = z.object({
  type: z.literal(ComponentType.Thumbnail),
  id,
  media,
  description: text(0, 1024).nullable().default(null),
  spoiler: z.boolean().default(false),
});

const section = z.object({
  type: z.literal(ComponentType.Section),
  id,
  components: list(textDisplay, 1, 3),
  accessory: z.discriminatedUnion('type', [button, thumbnail]),
});

const mediaGallery = z.object({
  type: z.literal(ComponentType.MediaGallery),
  id,
  items: list(
    z.object({
      media,
      description: text(0, 1024).nullable().default(null),
      spoiler: z.boolean().default(false),
    }),
    1,
    10,
  ),
});

const file = z.object({
  type: z.literal(ComponentType.File),
  id,
  file: media,
  spoiler: z.boolean().default(false),
});

const separator = z.object({
  type: z.literal(ComponentType.Separator),
  id,
  divider: z.boolean().default(true),
  spacing: z.int().min(1).max(2).default(1),
});

const container = z.object({
  type: z.literal(ComponentType.Container),
  id,
  accent_color: z.int().min(0).max(0xffffff).nullable().default(null),
  spoiler: z.boolean().default(false),
  components: list(
    z.discriminatedUnion('type', [actionRow, textDisplay, section, mediaGallery, file, separator]),
    1,
    40,
  ),
});

/** A message's components; its flags decide which are allowed. */
export const componentsSchema = z.array(
  z.discriminatedUnion('type', [
    actionRow,
    textDisplay,
    section,
    mediaGallery,
    file,
    separator,
    container,
  ]),
);
