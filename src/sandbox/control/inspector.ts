import { type Context, Hono } from 'hono';
import { z } from 'zod';
import type { DiscordServer } from '../discord/discord-server.ts';
import type { ApiCall } from '../inspector/api-calls.ts';
import type { Inspector } from '../inspector/inspector.ts';
import type { ReplyCurve } from '../inspector/replies.ts';
import { type ServiceGate, serviceStates } from '../inspector/service-gate.ts';
import type { SlackWorkspace } from '../slack/slack-workspace.ts';
import { readFaults } from './faults.ts';
import { parseWith, readBody } from './request-body.ts';

const number = z.coerce.number().int().min(0);
const query = z.strictObject({
  /** The id of the last call that the page knows. */
  after: number.default(0),
  /** The id of the reply whose curve it draws. */
  reply: number.optional(),
});
const serviceChange = z.strictObject({ state: z.enum(serviceStates) });

/** A reply in the list of replies. */
export interface ListedReply extends Pick<
  ReplyCurve,
  'id' | 'platform' | 'query' | 'at' | 'outcome'
> {
  writes: number;
  refused: number;
}

/** What the page's inspector shows. */
export interface Inspection {
  /** Those after the last known one, in the order of their answers. */
  calls: ApiCall[];
  /** The id of the last call. It starts anew with the sandbox. */
  lastCall: number;
  /** Oldest first. */
  replies: ListedReply[];
  /** The reply that was asked for. */
  curve?: ReplyCurve;
  slack: PlatformState;
  discord: PlatformState;
  /** Absent if the service is elsewhere: nothing here can make it fail. */
  service?: { state: string };
}

type PlatformState = ReturnType<typeof readFaults> & { connections: number };

/**
 * What the bot does: GET reads it, POST /service has the chatbot service die, hang or work, GET
 * /contents counts what was said, POST /empty deletes that on both platforms.
 */
export function createInspectorControl(parts: {
  slack: SlackWorkspace;
  discord: DiscordServer;
  inspector: Inspector;
  service: ServiceGate;
}): Hono {
  const { slack, discord, inspector, service } = parts;
  const routes = new Hono();

  routes.get('/', (context) => {
    const { after, reply } = parseWith(query, context.req.query());
    const replies = inspector.replies.list();
    const inspection: Inspection = {
      calls: inspector.calls.after(after),
      lastCall: inspector.calls.lastId,
      replies: replies.map(toListed),
      curve: replies.find(({ id }) => id === reply),
      slack: { ...readFaults(slack.faults), connections: slack.connections() },
      discord: { ...readFaults(discord.faults), connections: discord.gateway.connections },
      service: service.isUsed ? { state: service.state } : undefined,
    };
    return sendWithout(context, inspection, listCredentials(slack, discord));
  });

  routes.post('/service', async (context) => {
    const { body } = await readBody(context, serviceChange);
    service.change(body.state);
    return context.json({ state: service.state });
  });

  routes.get('/contents', (context) => {
    const [one, other] = [slack.contents(), discord.contents()];
    return context.json({
      messages: one.messages + other.messages,
      threads: other.threads,
      files: one.files + other.files,
    });
  });

  routes.post('/empty', async (context) => {
    await readBody(context, z.strictObject({}));
    slack.empty();
    discord.empty();
    inspector.clear();
    return context.json({});
  });

  return routes;
}

function toListed({ id, platform, query, at, outcome, writes }: ReplyCurve): ListedReply {
  const refused = writes.filter(({ isAccepted }) => !isAccepted).length;
  return { id, platform, query, at, outcome, writes: writes.length, refused };
}

function listCredentials({ credentials: slack }: SlackWorkspace, discord: DiscordServer): string[] {
  const { botToken, appToken, signingSecret, configToken, otherAppToken } = slack;
  const { token } = discord.credentials;
  return [botToken, appToken, signingSecret, configToken, otherAppToken, token];
}

/** The bot may have put a credential into any text. */
function sendWithout(context: Context, body: object, credentials: string[]): Response {
  const text = credentials.reduce(
    (shown, credential) => shown.replaceAll(credential, '(hidden)'),
    JSON.stringify(body),
  );
  return context.body(text, 200, { 'content-type': 'application/json' });
}
