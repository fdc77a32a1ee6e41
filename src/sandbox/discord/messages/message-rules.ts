import { invalidForm, refusal, type FieldError } from '../refusals.ts';
import { countCharacters, measure } from '../validation.ts';
import { flatten, type Component } from './component-tree.ts';
import { ComponentType } from './components.ts';
import { MessageFlag } from './message-form.ts';

/** The content of a message. */
export interface Body {
  content: string;
  embeds: readonly object[];
  components: readonly Component[];
  attachments: number;
  flags: number;
}

const maxRows = 5;
const maxComponents = 40;
const maxTextLength = 4_000;
const maxAttachments = 10;

/**
 * @throws {DiscordRefusal} 50006 when the message is empty, 50035 when its components do not fit
 * together or its flags: https://docs.discord.com/developers/components/using-message-components
 */
export function checkBody(body: Body, form: { embeds?: unknown; poll?: unknown }): void {
  const tooMany = measure(body.attachments, 0, maxAttachments);
  if (tooMany) throw invalidForm(['attachments'], tooMany);
  checkUnique(body.components);
  if (body.flags & MessageFlag.ComponentsV2) checkComponentsMessage(body, form);
  else checkOrdinaryMessage(body);
  const parts = body.embeds.length + body.components.length + body.attachments;
  if (body.content === '' && parts === 0) throw refusal(50006);
}

function checkOrdinaryMessage({ components }: Body): void {
  const tooMany = measure(components.length, 0, maxRows);
  if (tooMany) throw invalidForm(['components'], tooMany);
  for (const [index, component] of components.entries()) {
    if (component.type === ComponentType.ActionRow) continue;
    throw invalidForm(['components', index, 'type'], {
      code: 'UNION_TYPE_CHOICES',
      message: 'Value of field "type" must be one of (1,).',
    });
  }
}

/** https://docs.discord.com/developers/components/reference#component-reference */
function checkComponentsMessage(body: Body, form: { embeds?: unknown; poll?: unknown }): void {
  const excluded: FieldError = {
    code: 'MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2',
    message: 'The "IS_COMPONENTS_V2" flag excludes this field.',
  };
  if (body.content !== '') throw invalidForm(['content'], excluded);
  if (body.embeds.length > 0 || hasEntries(form.embeds)) throw invalidForm(['embeds'], excluded);
  if (form.poll) throw invalidForm(['poll'], excluded);
  if (body.components.length === 0) throw refusal(50006);

  const all = flatten(body.components);
  if (all.length > maxComponents) {
    const message = `The number of components exceeds ${maxComponents}`;
    throw invalidForm(['components'], { code: 'COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED', message });
  }
  const length = all.reduce((total, { content }) => total + countCharacters(content ?? ''), 0);
  if (length > maxTextLength) {
    const message = `The text of all components exceeds ${maxTextLength} characters`;
    throw invalidForm(['components'], {
      code: 'COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED',
      message,
    });
  }
}

function checkUnique(components: readonly Component[]): void {
  const ids = flatten(components).flatMap(({ custom_id: id }) => (id === undefined ? [] : [id]));
  if (new Set(ids).size === ids.length) return;
  throw invalidForm(['components'], {
    code: 'COMPONENT_CUSTOM_ID_DUPLICATED',
    message: 'Component custom id cannot be duplicated',
  });
}

function hasEntries(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}
