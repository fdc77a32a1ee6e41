/**
 * A text as the platform's client sends it: `@ada` becomes a mention of her, except in code.
 *
 * @param {string} text
 * @param {{ id: string, name: string, displayName: string }[]} people
 */
export function toSent(text, people) {
  return text.replace(/```[^]*?```|`[^`\n]*`|(?<![\w@])@([\w.-]*\w)/g, (found, name) => {
    const person = name && people.find((one) => isNamed(one, name));
    return person ? `<@${person.id}>` : found;
  });
}

function isNamed({ id, name, displayName }, typed) {
  return [id, name, displayName].some((known) => known.toLowerCase() === typed.toLowerCase());
}

/**
 * A sent text as its author edits it: mentions by name.
 *
 * @param {string} text
 * @param {{ id: string, name: string }[]} people
 */
export function toTyped(text, people) {
  return text.replace(/<@!?(\w+)>|@(\w+)/g, (found, sent, read) => {
    const person = people.find(({ id }) => id === (sent ?? read));
    return person ? `@${person.name}` : found;
  });
}
