/** What the bridge asks of a platform or the service, by what it means for a turn. */
export type Step =
  | 'look-up'
  | 'thread'
  | 'status'
  | 'session'
  | 'ask'
  | 'read'
  | 'post'
  | 'edit'
  | 'last edit'
  | 'change'
  | 'delivery'
  | 'acceptance'
  | 'delta'
  | 'end';

/**
 * `before`: the call arrives, and has no effect. `unanswered`: it has its effect, and its response
 * is not sent. `after`: its response was sent. What isn't a call is only `after`.
 */
export interface Moment {
  /** Absent where it isn't a call. */
  to?: 'slack' | 'discord' | 'service';
  step: Step;
  phase: 'before' | 'unanswered' | 'after';
  /** Where the call comes from. */
  port?: number;
}

const slackSteps: Record<string, Step> = {
  'assistant.threads.setStatus': 'status',
  'agents.sessions.setStatus': 'status',
  'chat.postMessage': 'post',
  'chat.startStream': 'post',
  'chat.update': 'edit',
  'chat.appendStream': 'edit',
  'chat.stopStream': 'last edit',
};

/** What a call means; undefined for one that belongs to no turn. */
export async function readCall(
  request: Request,
): Promise<Required<Pick<Moment, 'to' | 'step'>> | undefined> {
  const { pathname } = new URL(request.url);
  for (const [to, base] of Object.entries(bases) as [keyof typeof bases, string][]) {
    if (!pathname.startsWith(base)) continue;
    const step = toStep(to, request.method, pathname.slice(base.length));
    if (step === 'edit') return { to, step: (await hasStopButton(request)) ? step : 'last edit' };
    return step && { to, step };
  }
  return undefined;
}

const bases = {
  slack: '/sandbox/slack/api/',
  discord: '/sandbox/discord/api/v10/',
  service: '/api/v1/',
};

function toStep(to: keyof typeof bases, method: string, call: string): Step | undefined {
  if (to === 'slack') {
    return slackSteps[call] ?? (/^(users|conversations)\./.test(call) ? 'look-up' : undefined);
  }
  if (to === 'discord') {
    const [, rest = ''] = /^channels\/\d+(?:\/(.*))?$/.exec(call) ?? [];
    if (method === 'GET') return call.startsWith('channels') ? 'look-up' : undefined;
    if (rest === 'typing') return 'status';
    if (rest.endsWith('threads')) return 'thread';
    if (rest.startsWith('messages')) return method === 'POST' ? 'post' : 'edit';
    return undefined;
  }
  if (call.endsWith('/session/create')) return 'session';
  if (call.endsWith('/message/stream')) return 'ask';
  if (call.endsWith('/messages')) return 'read';
  return call.endsWith('/agents') ? 'look-up' : undefined;
}

/** An append to Slack's stream has no buttons: it is never the last write. */
async function hasStopButton(request: Request): Promise<boolean> {
  if (request.url.endsWith('chat.appendStream')) return true;
  const body = await request.clone().text();
  const isForm = request.headers.get('content-type')?.includes('urlencoded');
  const values = isForm ? [...new URLSearchParams(body).values()] : [body];
  return values.some((value) => value.includes('"Stop"'));
}
