import type { Button, MessageContent } from '../ports.ts';

/** Whether a message that shows `shown` looks to its readers as one with this content would. */
export function looksLike(content: MessageContent, shown: MessageContent | undefined): boolean {
  return (
    content.markdown === shown?.markdown &&
    (content.footer ?? '') === (shown.footer ?? '') &&
    labelsOf(content.buttons) === labelsOf(shown.buttons)
  );
}

function labelsOf(buttons: readonly Button[] = []): string {
  return buttons.map(({ action, label }) => `${action} ${label}`).join('\n');
}
