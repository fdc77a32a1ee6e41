import { commands } from '../bridge/commands/commands.ts';
import type { CommandNames } from '../bridge/commands/invocation.ts';
import { renderManifest, type SlackAppKind } from '../bridge/slack/manifest.ts';

/** What the Slack app is to be able to do. */
export interface ManifestOptions extends SlackAppKind {
  /** Where Slack reaches the process; without it, events come over Socket Mode. */
  origin?: string;
  /** Whether many workspaces install the app, which needs an origin. */
  many?: boolean;
  /** Whether events come over Socket Mode although there is an origin. */
  socket?: boolean;
}

/** The Slack app manifest for this process's commands. */
export function createManifest(names: CommandNames, options: ManifestOptions = {}): string {
  const { origin, many = false, socket = false, agentView, history } = options;
  const mode =
    origin && !socket ? ({ mode: 'http', origin } as const) : ({ mode: 'socket' } as const);
  const installOrigin = many ? origin : undefined;
  return renderManifest({ commands, names }, { ...mode, agentView, history, installOrigin });
}
