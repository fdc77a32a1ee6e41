/**
 * Creates an element with properties, attributes, listeners (`onclick`) and children. Texts become
 * text nodes, never markup. Undefined or false values are omitted.
 *
 *
 * @param {string} tag
 * @param {Record<string, any>} props
 * @param {...(Node | string | undefined | false | (Node | string | undefined | false)[])} children
 * @returns {any}
 */
export function h(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(props)) {
    if (value === undefined || value === false) continue;
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else if (typeof value === 'string') element.setAttribute(key, value);
    else if (value === true) element.setAttribute(key, '');
    else element.setAttribute(key, String(value));
  }
  for (const child of children.flat()) {
    if (child !== undefined && child !== false) element.append(child);
  }
  return element;
}

/** A new id, for references between elements. */
export function newId() {
  count += 1;
  return `e${count}`;
}

let count = 0;
