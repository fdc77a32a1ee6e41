import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { Hono } from 'hono';
import { type Sleep, sleepUnref } from '../../shared/primitives/time.ts';
import { createChanges } from '../changes.ts';
import { refuseConnection } from '../connections.ts';
import { createFaults } from '../faults.ts';
import type { RecordCall } from '../inspector/api-calls.ts';
import { type Records, scopeRecords } from '../records.ts';
import { createAppLink } from './app-link.ts';
import { type DeliveryChange, createDelivery, recordDeliveries } from './delivery.ts';
import { type Founded, findWorkspace, foundWorkspace, openClient } from './directory.ts';
import { createFileRoutes } from './file-routes.ts';
import { createUploads } from './files.ts';
import { createTimestamps, newId } from './identifiers.ts';
import { createInstallations } from './installations.ts';
import { createAppManifest } from './manifest.ts';
import type { SlackChange, SlackEnterprise, SlackMessage, SlackSwitches } from './model.ts';
import { createOAuth } from './oauth.ts';
import type { AppParts, Parts } from './parts.ts';
import { createRemoval } from './removal.ts';
import { createResponseLinks } from './response-urls.ts';
import { createSharedChannels } from './shared-channels.ts';
import { type SlackWorkspace, createSlackWorkspace } from './slack-workspace.ts';
import { createSocketMode } from './socket-mode.ts';
import { createTokens } from './tokens.ts';
import { createWebApi } from './web-api/web-api.ts';

/** Slack: its first workspace, in which the app is installed from the start, and the others. */
export interface Slack extends SlackWorkspace, AsyncDisposable {
  /** Mounted at /sandbox/slack. */
  routes: Hono;
  /**
   * Handles a Socket Mode upgrade and returns true, or returns false and leaves the socket alone.
   */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean;
  /** All workspaces, the first one first. */
  workspaces(): SlackWorkspace[];
  /**
   * Adds a workspace without the app, whose people have the names of the first workspace's.
   * @param organisation the name of the organisation that it belongs to, created if needed
   */
  addWorkspace(name: string, organisation?: string): SlackWorkspace;
  /** Calls the listener with each workspace, now and when one is added. */
  eachWorkspace(listener: (workspace: SlackWorkspace) => void): void;
  /**
   * Shares a channel with another workspace: with its people and its bot.
   * @throws {Error} when there is no such channel, or it can't be shared
   */
  shareChannel(channel: string, guest: SlackWorkspace): void;
  /**
   * Adds a workspace to the installation of its organisation, or takes it out.
   * @throws {Error} when the workspace belongs to none
   */
  setAccess(workspace: SlackWorkspace, hasAccess: boolean): void;
}

/** The parameters of a sandbox's Slack. */
export interface SlackOptions {
  records: Records;
  /** The sandbox's origin, such as `http://127.0.0.1:3000`; called once the server listens. */
  origin: () => string;
  /** Milliseconds since the epoch. */
  now: () => number;
  /** Waits for acknowledgements, retries and latency. */
  sleep?: Sleep;
  /** Told of every call of the Web API and of every response to a response_url. */
  record?: RecordCall;
}

const basePath = '/sandbox/slack';
const maxWorkspaces = 500;

/** The workspaces stored in the records; the first is created if they are empty. */
export function createSlack(options: SlackOptions): Slack {
  const { records, origin, now, sleep = sleepUnref, record = () => {} } = options;
  const seconds = () => Math.floor(now() / 1000);
  const home =
    findWorkspace(records) ??
    foundWorkspace(
      records,
      { id: newId('T'), name: 'Causeway Sandbox', domain: 'causeway-sandbox' },
      seconds(),
    );
  const app = { ...home.app, ...openClient(records) };
  const added = () => records.list<{ id: string }>('slack.added-workspace');
  const scopes = [records, ...added().map(({ id }) => scopeRecords(records, id))];

  const all: { workspace: SlackWorkspace; parts: Parts }[] = [];
  const workspaces = () => all.map(({ parts }) => parts);
  const directories = () => workspaces().map(({ directory }) => directory);
  const teams = () => directories().map(({ team }) => team);
  const baseUrl = () => origin() + basePath;
  const faults = createFaults();
  const switches: SlackSwitches = { fileHost: 'direct' };
  const manifest = createAppManifest();
  const announce = (change: SlackChange) => {
    for (const { changes } of workspaces()) changes.announce(change);
  };
  const installations = createInstallations(records, now, () => announce({ kind: 'workspaces' }));
  installations.found({ id: home.team.id, teams: [home.team.id], token: app.botToken });
  const tokens = createTokens(app, { manifest, installations }, now);

  const onConnections = (count: number) => announce({ kind: 'connections', count });
  const socketMode = createSocketMode(app.id, onConnections, now, sleep);
  const { signingSecret } = app;
  const { link, transport } = createAppLink(socketMode, { signingSecret, now, sleep });
  const deliveries = createChanges<DeliveryChange>();
  const delivery = createDelivery(recordDeliveries(transport, record), faults, deliveries, sleep);
  const newest = scopes.flatMap(
    (each) => each.list<SlackMessage>('slack.message').at(-1)?.ts ?? [],
  );

  const shared = createSharedChannels(workspaces);
  const parts: AppParts = {
    app,
    manifest,
    installations,
    tokens,
    oauth: createOAuth({ app, manifest, installations, switches, teams, now }),
    removal: createRemoval({ app, manifest, installations, delivery, directories, now }),
    timestamps: createTimestamps(now, newest.toSorted().at(-1)),
    uploads: createUploads(now),
    responseLinks: createResponseLinks({ record, baseUrl, now }),
    socketMode,
    link,
    delivery,
    deliveries,
    faults,
    switches,
    workspaces,
    baseUrl,
    now,
  };

  function open(scope: Records, founded: Founded): SlackWorkspace {
    const opened = createSlackWorkspace(parts, scope, { founded, shared });
    all.push(opened);
    shared.follow(opened.parts);
    return opened.workspace;
  }

  const first = open(records, home);
  for (const scope of scopes.slice(1)) {
    const founded = findWorkspace(scope);
    if (founded) open(scope, founded);
  }

  function findOrganisation(name: string): SlackEnterprise {
    const known = all.flatMap(({ workspace }) => workspace.team.enterprise ?? []);
    const found = known.find((enterprise) => enterprise.name === name);
    return found ?? { id: newId('E'), name, botUser: newId('U'), botId: newId('B') };
  }

  function partsOf({ team }: SlackWorkspace): Parts {
    const found = workspaces().find(({ directory }) => directory.team.id === team.id);
    if (!found) throw new Error(`There is no workspace ${team.id}.`);
    return found;
  }

  const listeners = new Set<(workspace: SlackWorkspace) => void>();
  const routes = new Hono();
  routes.route('/api', createWebApi(parts, { record, sleep }));
  routes.route('/oauth', parts.oauth.routes);
  routes.route('/files', createFileRoutes(parts));
  routes.route('/respond', parts.responseLinks.routes);
  routes.get('/archives/:channel/:message', (context) => {
    const { channel, message } = context.req.param();
    const ts = message.replace(/^p(\d+)(\d{6})$/, '$1.$2');
    return context.redirect(`/sandbox/#slack/${channel}/${ts}`);
  });

  return {
    ...first,
    routes,
    upgrade(request, socket, head) {
      if (!request.url?.startsWith(`${basePath}/link?`)) return false;
      if (faults.offline) refuseConnection(socket);
      else socketMode.upgrade(request, socket, head);
      return true;
    },
    workspaces: () => all.map(({ workspace }) => workspace),
    addWorkspace(name, organisation) {
      if (all.length >= maxWorkspaces) throw new Error(`There are ${maxWorkspaces} workspaces.`);
      const id = newId('T');
      const domain = name.toLowerCase().replace(/[^a-z0-9]+/g, '-');
      const enterprise = organisation === undefined ? undefined : findOrganisation(organisation);
      const scope = scopeRecords(records, id);
      const team = { id, name, domain, enterprise };
      const founded = foundWorkspace(scope, team, seconds(), home.app);
      records.put('slack.added-workspace', id, { id });
      const workspace = open(scope, founded);
      for (const listener of listeners) listener(workspace);
      announce({ kind: 'workspaces' });
      return workspace;
    },
    eachWorkspace(listener) {
      listeners.add(listener);
      for (const { workspace } of all) listener(workspace);
    },
    shareChannel(channel, guest) {
      const host = workspaces().find(({ directory }) => directory.channel(channel));
      if (!host) throw new Error(`There is no channel ${channel}.`);
      shared.share(channel, host, partsOf(guest));
    },
    setAccess({ team }, hasAccess) {
      if (!team.enterprise) throw new Error(`${team.name} belongs to no organisation.`);
      parts.removal.setAccess(team.enterprise.id, team.id, hasAccess);
    },
    async [Symbol.asyncDispose]() {
      delivery.close();
      socketMode.close();
    },
  };
}
