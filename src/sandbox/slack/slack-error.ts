/** An API call Slack refuses: `{ ok: false, error }`, with messages that say what is wrong. */
export class SlackError extends Error {
  override readonly name = 'SlackError';
  readonly code: string;
  readonly messages: string[];

  constructor(code: string, messages: string[] = []) {
    super([code, ...messages].join(' '));
    this.code = code;
    this.messages = messages;
  }
}
