import { Hono } from 'hono';
import { z } from 'zod';
import { isOrganisation } from '../../slack/installations.ts';
import type { Slack } from '../../slack/slack.ts';
import type { SlackWorkspace } from '../../slack/slack-workspace.ts';
import { type PlatformControl, post } from '../platform-control.ts';
import { ControlError } from '../request-body.ts';
import type { ShownWorkspace } from '../shown.ts';
import { createSlackControl } from './slack-control.ts';

const name = z.string().trim().min(1).max(50);
const adding = z.strictObject({ name, organisation: name.optional() });
const sharing = z.strictObject({ channel: z.string().max(100), workspace: z.string().max(100) });
const access = z.strictObject({ workspace: z.string().max(100), hasAccess: z.boolean() });

/** What people do with the workspaces themselves, and the control API of each of them. */
export interface WorkspacesControl {
  /** Mounted at /slack/workspaces. */
  routes: Hono;
  /**
   * The control of a workspace by id; of the first one, if it is undefined.
   * @throws {ControlError} 404 when there is no such workspace
   */
  of(id: string | undefined): PlatformControl;
  list(): ShownWorkspace[];
}

/**
 * POST / adds a workspace; POST /share shares a channel with one; POST /access gives one its
 * organisation's installation, or takes it away; /:id/… are the routes of the workspace itself.
 */
export function createWorkspacesControl(slack: Slack): WorkspacesControl {
  const controls = new Map<string, PlatformControl>();
  const findFile: SlackWorkspace['file'] = (id) => {
    for (const workspace of slack.workspaces()) {
      const found = workspace.file(id);
      if (found) return found;
    }
    return undefined;
  };
  slack.eachWorkspace((workspace) =>
    controls.set(workspace.team.id, createSlackControl(workspace, findFile)),
  );

  function of(id = slack.team.id): PlatformControl {
    const found = controls.get(id);
    if (!found) throw new ControlError(404, `There is no workspace ${id}.`);
    return found;
  }

  function find(id: string): SlackWorkspace {
    const found = slack.workspaces().find(({ team }) => team.id === id);
    if (!found) throw new ControlError(400, `workspace: there is no workspace ${id}.`);
    return found;
  }

  const routes = new Hono();
  post(routes, '/', adding, (body) => ({
    workspace: toShownWorkspace(slack.addWorkspace(body.name, body.organisation)),
  }));
  post(routes, '/share', sharing, ({ channel, workspace }) =>
    slack.shareChannel(channel, find(workspace)),
  );
  post(routes, '/access', access, ({ workspace, hasAccess }) =>
    slack.setAccess(find(workspace), hasAccess),
  );
  // A workspace may be added after the router has been built.
  routes.all('/:id/*', (context) => {
    const { id } = context.req.param();
    const [base = ''] = context.req.path.split(`/${id}/`);
    const own = new Hono().route(`${base}/${id}`, of(id).routes);
    own.onError((error) => {
      throw error;
    });
    return own.fetch(context.req.raw, context.env);
  });

  return { routes, of, list: () => slack.workspaces().map(toShownWorkspace) };
}

/** A workspace, as people choose between several. */
export function toShownWorkspace({ team, installation }: SlackWorkspace): ShownWorkspace {
  const granted = installation();
  const installed = !granted ? 'no' : isOrganisation(granted) ? 'organisation' : 'yes';
  const { id, name: shown, enterprise } = team;
  return {
    id,
    name: shown,
    organisation: enterprise?.name,
    installed,
    expires: granted?.expiresAt,
  };
}
