import { keepInPlace } from '../../../shared/primitives/direction.ts';

/**
 * Text from anyone, such as a name or a title, as Markdown that shows it in one line. Brackets become
 * round, since a link's text can't hold them, and with a backslash they would begin a formula.
 */
export function renderPlainText(text: string): string {
  return keepInPlace(text)
    .replaceAll('[', '(')
    .replaceAll(']', ')')
    .replaceAll(/[\\`*_~|<>]/g, String.raw`\$&`)
    .replaceAll(/\s+/g, ' ');
}
