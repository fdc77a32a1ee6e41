import { Hono } from 'hono';
import type { Sleep } from '../../shared/primitives/time.ts';
import { isFromElsewhere } from '../connections.ts';
import { ContentTooLarge } from '../contents.ts';
import { DiscordRefusal, type FieldError, type FormErrors } from '../discord/refusals.ts';
import { createDiscordControl } from './discord/discord-control.ts';
import { createEventStreams } from './events.ts';
import { createFaultsRoutes, createInspectorRoutes, type Inspected } from './inspector.ts';
import { ControlError } from './request-body.ts';
import { createWorkspacesControl } from './slack/workspaces.ts';

/**
 * The control API: what people do and see on both platforms, for the page and tests. JSON in and out,
 * with `{ "error": … }` as a sentence when it rejects a request. It accepts only its own origin, so
 * that no other site can act in it through the user's browser.
 *
 * Of several Slack workspaces, `/slack/…` is the first; `/slack/workspaces/:id/…` is any of them, and
 * `?slack=:id` chooses the one that `/overview` and `/events` tell of.
 *
 * @param origin the sandbox's base URL
 * @param sleep waits between the heartbeats of event streams
 */
export function createControl(inspected: Inspected, origin: () => string, sleep: Sleep) {
  const { slack, discord } = inspected;
  const routes = new Hono();
  routes.use(async (context, next) => {
    const host = context.req.header('host') ?? new URL(context.req.url).host;
    if (isFromElsewhere(context.req.header(), host)) {
      return context.json({ error: 'Only the sandbox’s own page can use the control API.' }, 403);
    }
    await next();
    context.header('cache-control', 'no-store');
    context.header('x-content-type-options', 'nosniff');
  });
  routes.onError((error, context) => {
    const refused = toControlError(error);
    if (!refused) throw error;
    return context.json({ error: refused.message }, refused.status);
  });

  const workspaces = createWorkspacesControl(slack);
  const discordControl = createDiscordControl(discord);
  const events = createEventStreams(sleep);
  routes.get('/overview', (context) =>
    context.json({
      origin: origin(),
      slack: workspaces.of(context.req.query('slack')).overview(),
      discord: discordControl.overview(),
      workspaces: workspaces.list(),
    }),
  );
  routes.get('/events', (context) => {
    const { subscribe } = workspaces.of(context.req.query('slack'));
    return events.open(context, { slack: subscribe, discord: discordControl.subscribe });
  });
  routes.route('/slack/faults', createFaultsRoutes(slack.faults, slack.sever));
  routes.route(
    '/discord/faults',
    createFaultsRoutes(discord.faults, () => discord.gateway.disconnect()),
  );
  routes.route('/inspector', createInspectorRoutes(inspected));
  routes.route('/slack/workspaces', workspaces.routes);
  routes.route('/slack', workspaces.of(undefined).routes);
  routes.route('/discord', discordControl.routes);
  routes.all('*', (context) => context.json({ error: 'Unknown operation.' }, 404));

  return {
    /** Mounted at /sandbox/control. */
    routes,
    /** Ends the event streams. */
    close() {
      events.close();
      discordControl.close?.();
    },
  };
}

/**
 * Converts an error into the control API's response to it; undefined for a bug in the sandbox.
 * Something that people can't do is a plain Error on Slack and a DiscordRefusal on Discord.
 */
function toControlError(error: unknown): ControlError | undefined {
  if (error instanceof ControlError) return error;
  if (error instanceof ContentTooLarge) return new ControlError(413, error.message);
  if (error instanceof DiscordRefusal) {
    const faults = error.errors ? listFaults(error.errors) : [];
    return new ControlError(400, [error.message, ...faults].join(': '));
  }
  const isPlain = error instanceof Error && error.name === 'Error' && !('code' in error);
  return isPlain ? new ControlError(400, error.message) : undefined;
}

function listFaults(errors: FormErrors, path = ''): string[] {
  return Object.entries(errors).flatMap(([field, below]) => {
    if (Array.isArray(below)) return below.map(({ message }: FieldError) => `${path}${message}`);
    return below ? listFaults(below, `${field} `) : [];
  });
}
