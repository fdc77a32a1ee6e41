import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseAst } from 'vitest/node';

/** A condition that can be negated, or a statement that can be dropped. */
export interface Change {
  /** Relative to the checkout. */
  path: string;
  line: number;
  kind: 'negate' | 'drop';
  /** What a reader is shown, such as `` `a < b` becomes `a >= b` ``. */
  text: string;
  start: number;
  end: number;
}

/** A node of the syntax tree (https://github.com/estree/estree). */
type Node = Record<string, unknown> & { type: string; start: number; end: number };

const opposites: Record<string, string> = {
  '===': '!==',
  '!==': '===',
  '<': '>=',
  '>=': '<',
  '>': '<=',
  '<=': '>',
};

const droppedTypes = /^(?:Expression|Return|Throw|Break|Continue)Statement$/;

/**
 * Draws changes in folders of a checkout. The same seed draws the same ones, also once a file has moved
 * to another folder or other lines of it have changed.
 */
export function drawChanges(
  root: string,
  folders: string[],
  { seed, count }: { seed: number; count: number },
): Change[] {
  const paths = folders.flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: root }));
  const changes = paths.flatMap((path) =>
    findChanges(path, readFileSync(join(root, path), 'utf8')),
  );
  const counts = new Map<string, number>();
  const keyed = changes.map((change) => {
    const name = `${seed} ${basename(change.path)} ${change.text}`;
    const nth = (counts.get(name) ?? 0) + 1;
    counts.set(name, nth);
    return { change, key: createHash('sha1').update(`${name} ${nth}`).digest('hex') };
  });
  const drawn = keyed.toSorted((one, other) => (one.key < other.key ? -1 : 1)).slice(0, count);
  return drawn.map(({ change }) => change);
}

/** Code outside of functions is left alone: it runs once, with whichever test file loads it first. */
function findChanges(path: string, code: string): Change[] {
  const changes = new Map<string, Change>();
  const add = (kind: Change['kind'], { start, end }: Node, text: string) => {
    const line = code.slice(0, start).split('\n').length;
    // A condition can be a comparison as well.
    changes.getOrInsert(`${start} ${end}`, { path, line, kind, text, start, end });
  };
  const show = ({ start, end }: Node) => {
    const text = code.slice(start, end).replaceAll(/\s+/g, ' ');
    return text.length > 100 ? `${text.slice(0, 100)}…` : text;
  };
  const showOpposite = (node: Node) => {
    const { type, operator, left, right, argument, value } = node;
    const opposite = opposites[String(operator)];
    if (opposite) return `${show(left as Node)} ${opposite} ${show(right as Node)}`;
    if (type === 'UnaryExpression' && operator === '!') return show(argument as Node);
    return typeof value === 'boolean' ? String(!value) : `!(${show(node)})`;
  };
  const drop = (node: Node) => add('drop', node, `\`${show(node)}\` is dropped`);
  const negate = (node: Node) =>
    add('negate', node, `\`${show(node)}\` becomes \`${showOpposite(node)}\``);

  const visit = (node: Node) => {
    const { type, operator, test, left, value } = node;
    if (droppedTypes.test(type)) drop(node);
    if (isNode(test) && type !== 'SwitchCase') negate(test);
    if (operator === '&&' || operator === '||') negate(left as Node);
    if (operator === '!' || Object.hasOwn(opposites, String(operator))) negate(node);
    if (type === 'Literal' && typeof value === 'boolean') negate(node);
    childrenOf(node).forEach(visit);
  };
  const visitFunctions = (node: Node) =>
    childrenOf(node).forEach(node.type.includes('Function') ? visit : visitFunctions);
  visitFunctions(parseAst(code, { lang: 'ts' }) as unknown as Node);
  return [...changes.values()];
}

/** A type holds no code, but `a as B` does. */
function childrenOf(node: Node): Node[] {
  const values = node.type.startsWith('TS') ? [node['expression']] : Object.values(node).flat();
  return values.filter(isNode);
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

/**
 * Adds all changes of a file to its code, each for the case that `mutation` says it is the one to make.
 * Lines stay where they are.
 */
export function instrument(code: string, changes: (Change & { id: number })[]): string {
  const before = new Map<number, string>();
  const after = new Map<number, string>();
  const outerFirst = changes.toSorted(
    (one, other) => one.start - other.start || other.end - one.end,
  );
  for (const { id, kind, start, end } of outerFirst) {
    const [open, close] =
      kind === 'drop'
        ? [`{ if (!mutation.isMade(${id})) `, ' }']
        : [` mutation.negate(${id}, (`, '))'];
    before.set(start, (before.get(start) ?? '') + open);
    after.set(end, close + (after.get(end) ?? ''));
  }
  const places = [...new Set([...before.keys(), ...after.keys()])].toSorted((a, b) => a - b);
  const pieces = places.map(
    (place, index) =>
      (after.get(place) ?? '') + (before.get(place) ?? '') + code.slice(place, places[index + 1]),
  );
  return code.slice(0, places[0]) + pieces.join('');
}
