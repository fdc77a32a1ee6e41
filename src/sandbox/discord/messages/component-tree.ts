/** Any component, with the fields needed to traverse it. */
export interface Component {
  type: number;
  id?: number;
  custom_id?: string;
  disabled?: boolean;
  content?: string;
  options?: { value: string }[];
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
