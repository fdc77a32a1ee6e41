/** An API error, `{ ok: false, error }`, with messages that explain it. */
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
