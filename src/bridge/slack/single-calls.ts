import { webApi } from '@slack/bolt';
import { sendRequest } from '../../shared/primitives/send-request.ts';

type CallResult = webApi.WebAPICallResult & { error: string };

/**
 * Slack's client, except that it sends each call once, and at once. Around every call, the library
 * prepares a queue, retries and the text of seven debug lines, even where nothing is logged: that
 * takes longer than the call. Methods, arguments and errors are the library's.
 */
export class SingleCallClient extends webApi.WebClient {
  readonly #headers: Record<string, string>;
  readonly #timeoutMs: number;

  constructor(options: { botToken: string; apiUrl: string; timeoutMs: number }) {
    const { botToken, apiUrl, timeoutMs } = options;
    super(botToken, { slackApiUrl: apiUrl });
    this.#timeoutMs = timeoutMs;
    this.#headers = {
      accept: 'application/json',
      authorization: `Bearer ${botToken}`,
      'content-type': 'application/x-www-form-urlencoded',
      'user-agent': 'causeway',
    };
  }

  /** @throws {webApi.SlackError} as the library does; and what undici throws */
  override async apiCall(
    method: string,
    values: Record<string, unknown> = {},
  ): Promise<webApi.WebAPICallResult> {
    const { status, statusText, headers, body } = await sendRequest(this.slackApiUrl + method, {
      method: 'POST',
      headers: this.#headers,
      body: renderForm(values),
      timeoutMs: this.#timeoutMs,
    });
    const text = body.toString();
    const retryAfter = Number(headers.get('retry-after')) || undefined;
    if (status === 429) throw new webApi.WebAPIRateLimitedError(retryAfter ?? 1);
    if (status !== 200) {
      throw new webApi.WebAPIHTTPError(status, statusText, Object.fromEntries(headers), text);
    }
    const result = parseResult(text);
    if (result.ok) return result;
    const metadata = { ...result.response_metadata, retryAfter };
    throw new webApi.WebAPIPlatformError({ ...result, response_metadata: metadata });
  }
}

/** What is no text is sent as JSON. */
function renderForm(values: Record<string, unknown>): string {
  const given = Object.entries(values).filter(([, value]) => value !== undefined && value !== null);
  const fields = given.map(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return `${name}=${encodeURIComponent(text)}`;
  });
  return fields.join('&');
}

/** What is no JSON is taken for an error code, as in the library. */
function parseResult(text: string): CallResult {
  try {
    return JSON.parse(text) as CallResult;
  } catch {
    return { ok: false, error: text };
  }
}
