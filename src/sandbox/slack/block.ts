import { newSecret } from './identifiers.ts';

/** A Block Kit block. Its other fields depend on its type and are validated on arrival. */
export interface Block {
  type: string;
  block_id?: string;
  [field: string]: unknown;
}

/** An interactive element of a block. */
export interface BlockElement {
  type: string;
  action_id?: string;
  [field: string]: unknown;
}

/** The interactive elements of blocks, each with its block. */
export function elementsOf(blocks: Block[]): { block: Block; element: BlockElement }[] {
  return blocks.flatMap((block) => {
    const { elements, element, accessory } = block;
    const inside = [...(Array.isArray(elements) ? elements : []), element, accessory];
    return inside.filter(isElement).map((found) => ({ block, element: found }));
  });
}

function isElement(value: unknown): value is BlockElement {
  return typeof value === 'object' && value !== null && 'type' in value && 'action_id' in value;
}

/** Gives an id to every block and interactive element without one, as Slack does on arrival. */
export function withIds(blocks: Block[]): Block[] {
  return blocks.map((block) => {
    const named: Block = { ...block, block_id: block.block_id ?? newSecret(3) };
    if (pressableTypes.has(block.type) && Array.isArray(block['elements'])) {
      named['elements'] = block['elements'].map(withActionId);
    }
    if (block['element']) named['element'] = withActionId(block['element']);
    if (block['accessory']) named['accessory'] = withActionId(block['accessory']);
    return named;
  });
}

const pressableTypes = new Set(['actions', 'context_actions']);

function withActionId(element: unknown): unknown {
  if (typeof element !== 'object' || element === null || !('type' in element)) return element;
  if (element.type === 'image') return element;
  return { action_id: newSecret(3), ...element };
}
