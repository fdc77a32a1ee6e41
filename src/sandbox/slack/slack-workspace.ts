import { type Changes, createChanges } from '../changes.ts';
import type { Faults } from '../faults.ts';
import type { Records } from '../records.ts';
import { createAgentSessions } from './agent-sessions.ts';
import type { AppLink } from './app-link.ts';
import type { Delivery, DeliveryChange } from './delivery.ts';
import { type Directory, type Founded, createDirectory } from './directory.ts';
import { connectEvents, createEventSender } from './events.ts';
import { type SlackFile, createFiles } from './files.ts';
import type { ActiveInstallation } from './installations.ts';
import { createInteractionPayloads, createTriggers } from './interaction-payloads.ts';
import { type Interactions, createInteractions } from './interactions.ts';
import type { AppManifest } from './manifest.ts';
import { createEphemerals, createMessages } from './message-store.ts';
import { type Modals, createModals } from './modals.ts';
import type { SlackChange, SlackSwitches, SlackTeam } from './model.ts';
import type { AppParts, Parts } from './parts.ts';
import { type People, createPeople } from './people.ts';
import { type Reading, createReading } from './reading.ts';
import { createResponseUrls } from './response-urls.ts';
import type { SharedChannels } from './shared-channels.ts';
import { type SlashCommands, createSlashCommands } from './slash-commands.ts';
import { createStreams } from './streams.ts';
import { type Suggestions, createSuggestions } from './suggestions.ts';
import { createViews } from './views.ts';
import { createWire } from './wire.ts';

/** The credentials and URL that an app needs. */
interface SlackCredentials {
  /** The bot's present token; empty if the app is not installed. */
  readonly botToken: string;
  appToken: string;
  signingSecret: string;
  /** For OAuth. */
  clientId: string;
  clientSecret: string;
  /** Reads the app's configuration. */
  configToken: string;
  /** The app token of another app. */
  otherAppToken: string;
  /** The base URL of the Web API, with a trailing slash; read it once the sandbox listens. */
  readonly apiUrl: string;
}

/** A Slack workspace: what people see and do in it, and injected faults. */
export interface SlackWorkspace
  extends
    Reading,
    People,
    Pick<Directory, 'saveUserGroup'>,
    SlashCommands,
    Interactions,
    Modals,
    Pick<Suggestions, 'suggest'>,
    AppManifest,
    AppLink {
  credentials: SlackCredentials;
  team: SlackTeam;
  /** The app's ids: its bot user, its bot, and itself. */
  bot: { user: string; bot: string; app: string };
  /** The installation that answers here: the workspace’s own, or its organisation’s. */
  installation(): ActiveInstallation | undefined;
  /** Removes the app from here, or from the whole organisation that installed it. */
  uninstall(): void;
  /** Revokes the bot's token. The app stays installed, but can do nothing. */
  revoke(): void;
  /** Lets the bot's token expire now, if it is one that expires. */
  expireToken(): void;
  faults: Faults;
  switches: SlackSwitches;
  /** What becomes of the events that Slack sends to the app, from any workspace. */
  deliveries: Changes<DeliveryChange>;
  /** Sends an event once more, as Slack does where it missed the acknowledgement. */
  redeliver(payload: object): void;
  /** How many messages and files `empty` would delete. */
  contents(): { messages: number; files: number };
  /**
   * Deletes all messages and files, and closes all modals, without telling the app. People and
   * channels stay.
   */
  empty(): void;
}

/** A workspace of the app, stored in the records. */
export function createSlackWorkspace(
  app: AppParts,
  records: Records,
  { founded, shared }: { founded: Founded; shared: SharedChannels },
): { workspace: SlackWorkspace; parts: Parts } {
  const { installations, timestamps, now, baseUrl, tokens, removal } = app;
  const changes = createChanges<SlackChange>();
  const directory = createDirectory(records, founded, changes, now);
  const { team, saveUserGroup } = directory;
  const { botUser, botId, id: appId } = directory.app;
  const installation = () => installations.serving(team.id);

  const messages = createMessages(records, changes, timestamps);
  const ephemerals = createEphemerals(records, changes, timestamps);
  const files = createFiles(records, baseUrl, now);
  const wire = createWire(directory, files);
  const manifest = whileInstalled(app.manifest, installation);
  const delivery = deliverWhileInstalled(app.delivery, installation);
  const triggers = createTriggers(now);
  const parts: Parts = {
    ...app,
    manifest,
    delivery,
    changes,
    directory,
    messages,
    ephemerals,
    files,
    streams: createStreams(messages, now),
    views: createViews(team, directory.app, changes),
    sessions: createAgentSessions(changes, now),
    wire,
    sendEvent: createEventSender(app, { directory, delivery }),
    triggers,
    payloads: createInteractionPayloads(directory, installations, triggers),
    responseUrls: createResponseUrls({
      app: directory.app,
      messages,
      ephemerals,
      links: app.responseLinks,
    }),
  };
  connectEvents(parts, (channel) => shared.isTold(parts, channel));
  const suggestions = createSuggestions(parts);

  const workspace: SlackWorkspace = {
    ...createReading(parts),
    ...createPeople(parts),
    saveUserGroup,
    ...createSlashCommands(parts),
    ...createInteractions(parts),
    ...createModals(parts, suggestions),
    suggest: suggestions.suggest,
    ...manifest,
    ...app.link,
    credentials: {
      get botToken() {
        return installation()?.token ?? '';
      },
      appToken: app.app.appToken,
      signingSecret: app.app.signingSecret,
      clientId: app.app.clientId,
      clientSecret: app.app.clientSecret,
      configToken: tokens.configToken,
      otherAppToken: tokens.otherAppToken,
      get apiUrl() {
        return `${baseUrl()}/api/`;
      },
    },
    team,
    bot: { user: botUser, bot: botId, app: appId },
    installation,
    uninstall: () => removal.uninstall(installation()?.id ?? team.id),
    revoke: () => removal.revoke(installation()?.id ?? team.id),
    expireToken: () => installations.expire(installation()?.id ?? team.id),
    faults: app.faults,
    switches: app.switches,
    deliveries: app.deliveries,
    redeliver: (payload) => app.delivery.deliverEvent(payload),
    contents: () => ({
      messages: records.count('slack.message') + records.count('slack.ephemeral'),
      files: records.count('slack.file'),
    }),
    empty() {
      for (const { id } of records.list<SlackFile>('slack.file')) {
        records.contents.delete(`slack:${id}`);
      }
      for (const kind of ['slack.message', 'slack.revision', 'slack.ephemeral', 'slack.file']) {
        records.trim(kind, 0);
      }
      for (const { id } of directory.users()) parts.views.clear(id);
      changes.announce({ kind: 'emptied' });
    },
  };
  return { workspace, parts };
}

/** Where the app is not installed, people find nothing of it. */
function whileInstalled(manifest: AppManifest, installation: () => unknown): AppManifest {
  return {
    ...manifest,
    commands: () => (installation() ? manifest.commands() : []),
    shortcuts: () => (installation() ? manifest.shortcuts() : []),
    hasCommand: (name) => installation() !== undefined && manifest.hasCommand(name),
  };
}

/** What people do with old messages of an app that was removed reaches nobody. */
function deliverWhileInstalled(delivery: Delivery, installation: () => unknown): Delivery {
  return {
    ...delivery,
    async deliverOnce(envelope) {
      if (installation()) return delivery.deliverOnce(envelope);
      return { acknowledged: false, reason: 'connection_failed' };
    },
  };
}
