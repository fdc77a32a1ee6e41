import { findChannel } from '../channels.ts';
import { Intent } from '../gateway/intents.ts';
import { memberOf } from '../members.ts';
import { permissionsOf } from '../permissions.ts';
import { renderChannel, renderMemberWithUser, renderUserById } from '../render.ts';
import { renderMessage } from '../messages/render-message.ts';
import type { DiscordState } from '../state.ts';
import type { Interaction } from './interaction.ts';

/**
 * Sends the bot an interaction:
 * https://docs.discord.com/developers/interactions/receiving-and-responding#interaction-object
 */
export function publishInteraction(
  state: DiscordState,
  interaction: Interaction,
  data: object,
): void {
  state.dispatch({
    name: 'INTERACTION_CREATE',
    data: renderInteraction(state, interaction, data),
    intent: Intent.Always,
  });
}

function renderInteraction(state: DiscordState, interaction: Interaction, data: object): object {
  const { documents, self } = state;
  const channel = findChannel(state, interaction.channel);
  const member = memberOf(state, channel.guild, interaction.user);
  const message = interaction.message && documents.messages.get(interaction.message);
  const inGuild = channel.guild && {
    guild_id: channel.guild,
    guild: { id: channel.guild, locale: 'en-US', features: [] },
    guild_locale: 'en-US',
  };
  return {
    id: interaction.id,
    application_id: self.application,
    type: interaction.type,
    token: interaction.token,
    version: 1,
    data,
    channel_id: channel.id,
    channel: renderChannel(state, channel),
    ...inGuild,
    ...(member
      ? { member: renderMemberWithUser(state, member, channel) }
      : { user: renderUserById(state, interaction.user) }),
    ...(message && { message: renderMessage(state, message) }),
    app_permissions: permissionsOf(state, self.user, channel).toString(),
    locale: 'en-US',
    entitlements: [],
    authorizing_integration_owners: { 0: channel.guild ?? '0' },
    context: channel.guild ? 0 : 1,
    attachment_size_limit: state.attachments.limit,
  };
}
