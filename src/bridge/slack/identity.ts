import type { webApi } from '@slack/bolt';
import { PlatformError } from '../conversation/errors.ts';
import { toPlatformError } from './errors.ts';

/** Who the bot is, in which workspace, and whether Slack knows the app as an agent. */
export interface Identity {
  teamId: string;
  botId: string;
  userId: string;
  isAgent: boolean;
}

/**
 * Asks Slack whose token it is.
 * @throws {PlatformError} `forbidden` naming SLACK_BOT_TOKEN when Slack refuses it
 */
export async function readIdentity(client: webApi.WebClient): Promise<Identity> {
  const answer = await client.auth.test().catch((error: unknown) => {
    throw toPlatformError(error);
  });
  const { team_id: teamId, bot_id: botId, user_id: userId } = answer;
  // Only agents have this scope. What Slack tells of no scopes is taken for an agent.
  const isAgent = answer.response_metadata?.scopes?.includes('assistant:write') ?? true;
  if (teamId && botId && userId) return { teamId, botId, userId, isAgent };
  throw new PlatformError('forbidden', 'slack_token_not_bot');
}
