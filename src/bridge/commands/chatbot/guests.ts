import { isOutsideWorkspaces } from '../../conversation/address.ts';
import { defineAction } from '../command.ts';

/** `/chatbot guests`: whether guests, and strangers of shared channels, may ask in channels. */
export const guests = defineAction({
  description: 'chatbot guests',
  shownTo: 'private',
  managersOnly: true,
  options: {
    allowed: { type: 'choice', choices: ['on', 'off'], description: 'chatbot guests allowed' },
  },
  async *run(context, { allowed }) {
    const { chatbot } = context.texts;
    if (isOutsideWorkspaces(context)) {
      yield chatbot.noWorkspace;
      return;
    }
    if (allowed === undefined) {
      yield chatbot.guests[(await context.settings.of(context)).guests ? 'on' : 'off'];
      return;
    }
    const before = await context.settings.change(context, (all) => ({
      ...all,
      guests: allowed === 'on',
    }));
    const was = before.guests ? 'on' : 'off';
    if (was !== allowed) {
      context.changed({
        what: { uuid: context.workspace },
        before: { guests: was },
        after: { guests: allowed },
      });
    }
    yield `✅ ${chatbot.guests[allowed]}`;
  },
});
