import { renderUserById } from './render.ts';
import type { ApplicationSettings, DiscordState } from './state.ts';

/** As Discord creates an application, with the message content intent switched on. */
export const firstSettings: ApplicationSettings = {
  messageContent: true,
  isPublic: true,
  needsCodeGrant: false,
  interactionsUrl: null,
};

/**
 * The application may read message content, in fewer than a hundred servers:
 * https://docs.discord.com/developers/resources/application#application-object-application-flags
 */
const limitedMessageContent = 1 << 19;

export function applicationFlags({ messageContent }: ApplicationSettings): number {
  return messageContent ? limitedMessageContent : 0;
}

/** https://docs.discord.com/developers/resources/application#application-object */
export function renderApplication(state: DiscordState): object {
  const { documents, self, settings } = state;
  const flags = applicationFlags(settings);
  return {
    id: self.application,
    name: 'Causeway',
    icon: null,
    description: '',
    type: null,
    bot: renderUserById(state, self.user),
    bot_public: settings.isPublic,
    bot_require_code_grant: settings.needsCodeGrant,
    verify_key: '0'.repeat(64),
    flags,
    flags_new: String(flags),
    redirect_uris: [],
    interactions_endpoint_url: settings.interactionsUrl,
    role_connections_verification_url: null,
    owner: renderUserById(state, documents.guilds.get(state.guild)?.owner ?? ''),
    approximate_guild_count: 1,
    approximate_user_install_count: 0,
    approximate_user_authorization_count: 0,
    explicit_content_filter: 0,
    team: null,
    eligible_oauth2_scopes: [],
  };
}
