import { type Unsure, unsureWays } from '../../conversation/settings.ts';
import { type ActionContext, defineAction } from '../command.ts';
import { noteChannel } from './place.ts';

/** `/chatbot unsure`: what the bot does in a channel where its sources don't clearly answer. */
export const unsure = defineAction({
  description: 'chatbot unsure',
  shownTo: 'channel',
  managersOnly: true,
  options: {
    way: { type: 'choice', choices: unsureWays, description: 'chatbot unsure way' },
    call: { type: 'boolean', description: 'chatbot unsure call' },
  },
  async *run(context, { way, call: calls }) {
    const { texts, settings } = context;
    if ((await context.channelAccess()) === 'direct') {
      yield texts.chatbot.unsure.direct;
      return;
    }
    if (way === undefined && calls === undefined) {
      yield await renderUnsure((await settings.in(context)).unsure, context);
      return;
    }
    const apply = (known: Unsure): Unsure => ({
      way: way ?? known.way,
      calls: calls ?? known.calls,
    });
    const { unsure: before } = await settings.changeIn(context, (all) => ({
      unsure: apply(all.unsure),
    }));
    const after = apply(before);
    await noteChannel(context, before, after);
    yield `✅ ${await renderUnsure(after, context)}`;
  },
});

/** Says what that is, and what keeps it from working. */
export async function renderUnsure(
  { way, calls }: Unsure,
  context: ActionContext,
): Promise<string> {
  const { bindings, client, settings, texts, slash, signal } = context;
  const { unsure: said, nobodyNotified } = texts.chatbot;
  if (way === 'answer') return said.answer;
  const [chatbot, { contacts }] = await Promise.all([
    bindings.chatbotFor(context).then((uuid) => client.getChatbot(uuid, signal)),
    settings.of(context),
  ]);
  const isNobody = contacts.channel === undefined && contacts.people.length === 0;
  return [
    said[way](slash('gaps')),
    ...(calls ? [isNobody ? `⚠️ ${nobodyNotified} ${slash('chatbot notify')}` : said.calls] : []),
    ...(chatbot.meta.tells_evidence ? [] : [`⚠️ ${said.notTold(slash('chatbot update'))}`]),
  ].join(' ');
}
