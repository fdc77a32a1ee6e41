import { renderRefusal } from '../../conversation/access.ts';
import { maxChoices } from '../../conversation/buttons.ts';
import type { NamedWorkspace } from '../../conversation/ports.ts';
import { isOutsideWorkspaces } from '../../conversation/address.ts';
import { type ActionContext, defineAction, type Outcome } from '../command.ts';
import { escapeMarkdown } from '../markdown.ts';

/** `/chatbot server`: the server whose chatbot answers in a direct message on Discord. */
export const server = defineAction({
  description: 'chatbot server',
  shownTo: 'private',
  needsNoChatbot: true,
  options: {
    server: { type: 'text', description: 'chatbot server server', maxLength: 100 },
  },
  async *run(context, { server: wanted }) {
    const { access, tenancy, texts, requester } = context;
    if (!isOutsideWorkspaces(context)) {
      yield texts.access.onlyDirect;
      return;
    }
    const servers = await access.choices(context, requester.id);
    const names = servers.map(({ name }) => escapeMarkdown(name));
    if (servers.length === 0) yield texts.access.no_server;
    else if (wanted === undefined) yield askWhichServer(context, servers);
    else {
      const sought = wanted.trim().toLowerCase();
      const found = servers.find(({ id, name }) =>
        [id.toLowerCase(), name.toLowerCase()].includes(sought),
      );
      if (!found) yield texts.access.noSuchServer(names);
      else {
        await tenancy.choose(context, found.id);
        yield `✅ ${texts.access.chosen(`**${escapeMarkdown(found.name)}**`)}`;
      }
    }
  },
});

/** Asks whose chatbot is to answer, with a button for each server. */
export function askWhichServer(
  { texts }: Pick<ActionContext, 'texts'>,
  servers: readonly NamedWorkspace[],
): Outcome {
  return {
    markdown: renderRefusal({ kind: 'choose', workspaces: servers }, texts),
    buttons: servers.slice(0, maxChoices).map(({ id, name }) => ({
      label: name,
      onPress: { kind: 'run', command: 'chatbot', action: 'server', values: { server: id } },
    })),
  };
}
