import { Hono } from 'hono';
import { toControlError } from './control/control-error.ts';
import { createDiscordControl } from './control/discord/discord-control.ts';
import { createEventStreams } from './control/events.ts';
import { createFaultsControl } from './control/faults.ts';
import { createInspectorControl } from './control/inspector.ts';
import { createSlackControl } from './control/slack/slack-control.ts';
import type { DiscordServer } from './discord/discord-server.ts';
import type { Inspector } from './inspector/inspector.ts';
import type { ServiceGate } from './inspector/service-gate.ts';
import { isFromElsewhere } from './loopback.ts';
import type { Sleep } from '../shared/primitives/sleep.ts';
import { sleep as sleepFor } from './sleep.ts';
import type { SlackWorkspace } from './slack/slack-workspace.ts';

/** What people do and see on both platforms, over HTTP. The page and tests use it. */
export interface Control {
  /** Mounted at /sandbox/control. */
  routes: Hono;
  /** Ends the event streams. */
  close(): void;
}

export interface ControlOptions {
  slack: SlackWorkspace;
  discord: DiscordServer;
  inspector: Inspector;
  service: ServiceGate;
  /** The sandbox's base URL. */
  origin: () => string;
  /** Waits between the heartbeats of event streams. */
  sleep?: Sleep;
}

/**
 * The control API: JSON in and out, with `{ "error": … }` as a sentence when it rejects a request.
 * It accepts only its own origin, so that no other site can act in it through the user's browser.
 */
export function createControl(options: ControlOptions): Control {
  const { slack, discord, origin, sleep = sleepFor } = options;
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

  const slackControl = createSlackControl(slack);
  const discordControl = createDiscordControl(discord);
  const events = createEventStreams({
    sources: { slack: slackControl.subscribe, discord: discordControl.subscribe },
    sleep,
  });
  routes.get('/overview', (context) =>
    context.json({
      origin: origin(),
      slack: slackControl.overview(),
      discord: discordControl.overview(),
    }),
  );
  routes.get('/events', (context) => events.open(context));
  routes.route('/slack/faults', createFaultsControl(slack.faults, slack.sever));
  routes.route(
    '/discord/faults',
    createFaultsControl(discord.faults, () => discord.gateway.disconnect()),
  );
  routes.route('/inspector', createInspectorControl(options));
  routes.route('/slack', slackControl.routes);
  routes.route('/discord', discordControl.routes);
  routes.all('*', (context) => context.json({ error: 'Unknown operation.' }, 404));

  return {
    routes,
    close() {
      events.close();
      discordControl.close?.();
    },
  };
}
