import { h } from './dom.js';

/**
 * The picture of a person or a bot: the first letter of the name, in a color of its own.
 *
 * @param {{ name: string, displayName: string, bot?: boolean }} author
 */
export function renderAvatar({ displayName, name, bot }) {
  const kind = bot
    ? 'bot'
    : `hue-${[...name].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % 6}`;
  return h('div', { class: `avatar ${kind}`, 'aria-hidden': 'true' }, [...displayName][0]);
}
