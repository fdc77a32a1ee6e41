import type { InstallationRecord } from '../../bridge/slack/installations.ts';
import type { StoreReader } from '../../bridge/stores/open-store.ts';
import type { SlackConfig } from '../../config/platforms.ts';
import { type Seal, SealError, openSeal } from '../../shared/primitives/seal.ts';
import { toBatches } from '../../shared/primitives/iterables.ts';
import { type SlackManifest, askSlack } from './ask-slack.ts';
import { type Check, type Finding, Trouble, fault, ok, unchecked } from './check.ts';
import type { ManifestOptions } from '../../app/manifest.ts';

/** The part of an Installation of @slack/oauth that matters here. */
interface Installation {
  appId?: string;
  bot?: { token: string };
}

/** What the check of installations asks. */
export interface InstallationsAsked {
  slack: SlackConfig;
  store: StoreReader | undefined;
  /** The manifest that the app should have. */
  declared: DeclaredManifest;
  now: () => number;
}

const atOnce = 5;
/** Only so many are named. */
const maxNamed = 5;
const anew = 'Have the app installed again there, at /slack/install.';

/** Each installation of an app that many workspaces install. */
export const installationCheck: Check<InstallationsAsked> = {
  name: 'Slack installations',
  limitMs: 120_000,
  async run(asked) {
    const { slack, store } = asked;
    if (!slack.install) return [];
    const seal = openSeal(slack.install);
    const faults: Finding[] = [];
    const working: string[] = [];
    for (const batch of toBatches(await listInstallations(store), atOnce)) {
      const found = await Promise.all(
        batch.map(async ([key, record]) => {
          const name = record.team?.name ?? record.enterprise?.name ?? key.slice(2);
          return { name, problem: await examineOne({ key, record, name }, seal, asked) };
        }),
      );
      for (const { name, problem } of found) {
        if (problem) faults.push(problem);
        else working.push(name);
      }
    }
    if (faults.length + working.length === 0) {
      return unchecked(
        'nobody has installed the app yet.',
        'Start Causeway, and open /slack/install.',
      );
    }
    return working.length === 0 ? faults : [...faults, ok(renderWorking(working))];
  },
};

interface Examined {
  key: string;
  record: InstallationRecord;
  name: string;
}

/** What is wrong with an installation, or worth a look. */
async function examineOne(
  { key, record, name }: Examined,
  seal: Seal,
  { slack, declared, now }: InstallationsAsked,
): Promise<Finding | undefined> {
  const { sealed, removedAt, expiresAt = Infinity } = record;
  if (removedAt !== undefined) return unchecked(`${name} removed the app on ${toDay(removedAt)}.`);
  let installation: Installation;
  try {
    installation = JSON.parse(seal.open(sealed, key)) as Installation;
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    return fault(
      `the tokens of ${name} can’t be decrypted: what is stored ${error.message}.`,
      `Set SECRETS_KEY or SECRETS_KEY_PREVIOUS to the key that encrypted them. If it is lost: ${anew}`,
    );
  }
  // A refresh token works once, so only the process renews tokens.
  if (expiresAt <= now()) {
    return unchecked(
      `not checked: the token of ${name} expired on ${toDay(expiresAt)}.`,
      `Start Causeway, which renews it. If its log says that Slack refuses to: ${anew}`,
    );
  }
  const botToken = installation.bot?.token ?? '';
  try {
    const { scopes } = await askSlack({ ...slack, botToken }).bot();
    const judged = scopes && judgeScopes(scopes, declared);
    if (judged?.state === 'fault') return fault(`${name}: ${judged.says}`, anew);
  } catch (error) {
    if (!(error instanceof Trouble) || error.kind !== 'refused') throw error;
    return fault(`${name}: ${error.message}`, anew);
  }
  if (seal.isCurrent(sealed)) return undefined;
  return unchecked(
    `the tokens of ${name} are still encrypted with SECRETS_KEY_PREVIOUS.`,
    'Start Causeway, which encrypts them with SECRETS_KEY.',
  );
}

/** The app's id, which every installation has. Undefined if none can be decrypted. */
export async function readAppId(
  { install }: SlackConfig,
  store: StoreReader | undefined,
): Promise<string | undefined> {
  if (!install) return undefined;
  const seal = openSeal(install);
  for (const [key, { sealed }] of await listInstallations(store)) {
    try {
      const { appId } = JSON.parse(seal.open(sealed, key)) as Installation;
      if (appId !== undefined) return appId;
    } catch (error) {
      if (!(error instanceof SealError)) throw error;
    }
  }
  return undefined;
}

async function listInstallations(store: StoreReader | undefined) {
  return (await store?.entries<InstallationRecord>('slack-installation')) ?? [];
}

function renderWorking(names: readonly string[]): string {
  const more = names.length - maxNamed;
  const named = `${names.slice(0, maxNamed).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  return `${named}: Slack accepts the token, with all scopes, encrypted with SECRETS_KEY.`;
}

function toDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

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
