import { h } from './dom.js';

/**
 * The picture of a person or a bot: the first letter of the name, in a color of its own.
 *
 * @param {{ name: string, displayName: string, bot?: boolean }} author
 */
export function renderAvatar({ displayName, name, bot }) {
  const sum = Array.from(name, (letter) => letter.charCodeAt(0)).reduce((one, two) => one + two, 0);
  const kind = bot ? 'bot' : `hue-${sum % 6}`;
  return h('div', { class: `avatar ${kind}`, 'aria-hidden': 'true' }, Array.from(displayName)[0]);
}
