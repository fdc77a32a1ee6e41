import { type Environment, readSwitch, readUrl } from './environment.ts';

/** The Slack app, and how its events are delivered. */
export interface SlackConfig {
  botToken: string;
  /** Socket Mode with an app token, or events over HTTP with a signing secret. */
  delivery: { kind: 'socket'; appToken: string } | { kind: 'http'; signingSecret: string };
  apiUrl?: string;
  /** Whether replies in direct messages use Slack's native streaming. */
  nativeStreaming: boolean;
}

/**
 * Reads Slack's variables.
 *
 * @returns undefined if SLACK_BOT_TOKEN is not set
 */
export function readSlack(environment: Environment): SlackConfig | undefined {
  const botToken = environment.read('SLACK_BOT_TOKEN');
  const appToken = environment.read('SLACK_APP_TOKEN');
  const signingSecret = environment.read('SLACK_SIGNING_SECRET');
  const apiUrl = readUrl(environment, 'SLACK_API_URL');
  const nativeStreaming = readSwitch(environment, 'SLACK_NATIVE_STREAMING', 'on');
  if (!botToken) {
    for (const name of ['SLACK_APP_TOKEN', 'SLACK_SIGNING_SECRET', 'SLACK_API_URL']) {
      if (environment.read(name)) {
        environment.fault(name, 'is set without SLACK_BOT_TOKEN. Set both, or neither.');
      }
    }
    return undefined;
  }
  if (!botToken.startsWith('xoxb-')) {
    environment.fault(
      'SLACK_BOT_TOKEN',
      'does not start with xoxb-. Use the Bot User OAuth Token of the app.',
    );
  }
  if (appToken && !appToken.startsWith('xapp-')) {
    environment.fault(
      'SLACK_APP_TOKEN',
      'does not start with xapp-. Use an App-Level Token of the app.',
    );
  }
  if (!appToken && !signingSecret) {
    environment.fault(
      'SLACK_BOT_TOKEN',
      'is not enough. Also set SLACK_APP_TOKEN (Socket Mode) or SLACK_SIGNING_SECRET (events over HTTP).',
    );
  }
  return {
    botToken,
    nativeStreaming,
    delivery: appToken
      ? { kind: 'socket', appToken }
      : { kind: 'http', signingSecret: signingSecret ?? '' },
    apiUrl,
  };
}
