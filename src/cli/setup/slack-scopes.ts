import type { ManifestOptions } from '../../app/manifest.ts';
import type { SlackManifest } from './ask-slack.ts';
import { fault, type Finding, ok } from './check.ts';

/** The manifest that the app should have. */
export type DeclaredManifest = (options?: ManifestOptions) => SlackManifest;

/** How an app may be set up: each with the scopes that are needed then. */
const variants = [
  { says: 'granted, for an app without the agent view.', options: { agentView: false } },
  {
    says: 'granted, for an app without history scopes, which reads only what mentions it in channels.',
    options: { history: false },
  },
];

/** Whether everything is granted that the app needs, in one of the ways in which it may be set up. */
export function judgeScopes(granted: readonly string[], declared: DeclaredManifest): Finding {
  const missing = (options?: ManifestOptions) =>
    scopesOf(declared(options)).filter((scope) => !granted.includes(scope));
  if (missing().length === 0) return ok(`all ${scopesOf(declared()).length} are granted.`);
  const found = variants.find(({ options }) => missing(options).length === 0);
  if (found) return ok(found.says);
  const lacks = missing({ agentView: false });
  return fault(`${lacks.join(', ')} ${lacks.length === 1 ? 'is' : 'are'} not granted.`);
}

/** The scopes in a manifest. */
export function scopesOf({ oauth_config: oauth }: SlackManifest): string[] {
  return oauth?.scopes?.bot ?? [];
}
