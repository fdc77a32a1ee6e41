import { randomUUID } from 'node:crypto';
import type { InstallationQuery, InstallProvider } from '@slack/oauth';
import { createOnceAtATime } from '../../shared/primitives/cache.ts';
import type { Log } from '../../shared/primitives/log.ts';
import type { Sleep } from '../../shared/primitives/time.ts';
import type { Installations, KeptInstallation } from './installations.ts';

/** @slack/oauth renews a token that expires within two hours. */
const renewBeforeMs = 2 * 60 * 60 * 1000;
/** Longer than a renewal takes. A process that crashed meanwhile holds up the others for that long. */
const claimMs = 60_000;
const lookAgainMs = 500;
/** After a renewal that failed, the old token is used as long as it lasts. */
const retryMs = 60_000;

/**
 * Gives the present token of an installation, and renews it before it expires. A refresh token works
 * once: the new pair is stored before it is used, and one process renews at a time.
 * docs.slack.dev/authentication/using-token-rotation
 */
export function createTokens(options: {
  installations: Installations;
  /** With `onRenewal` as its store. */
  provider: Pick<InstallProvider, 'authorize'>;
  sleep: Sleep;
  /** Milliseconds since the epoch. */
  now: () => number;
  log: Log;
}): (key: string) => Promise<string | undefined> {
  const { installations, provider, sleep, now, log } = options;
  const self = randomUUID();
  const onceEach = createOnceAtATime<KeptInstallation | undefined>();
  const failedAt = new Map<string, number>();

  const isDue = ({ key, expiresAt = Infinity }: KeptInstallation) =>
    expiresAt - now() <= renewBeforeMs && now() - (failedAt.get(key) ?? -Infinity) >= retryMs;

  /** Resolves with the installation once this process alone may renew it, or another has. */
  async function claim(key: string): Promise<KeptInstallation | undefined> {
    for (;;) {
      const claimed = await installations.change(key, (record) => {
        const { renewing } = record;
        if (renewing && renewing.by !== self && renewing.until > now()) return undefined;
        return { ...record, renewing: { by: self, until: now() + claimMs } };
      });
      if (!claimed || claimed.renewing?.by === self || !isDue(claimed)) return claimed;
      await sleep(lookAgainMs);
    }
  }

  async function renew(key: string): Promise<KeptInstallation | undefined> {
    const claimed = await claim(key);
    if (!claimed || claimed.renewing?.by !== self) return claimed;
    try {
      // What Slack refuses is only logged there, and the old token stays.
      if (isDue(claimed)) await provider.authorize(queryOf(claimed));
    } catch (error) {
      log.error({ err: error, installation: key }, 'a new token of Slack’s could not be stored');
    }
    const renewed = await installations.change(key, (record) => ({
      ...record,
      renewing: undefined,
    }));
    if (renewed && isDue(renewed)) {
      failedAt.set(key, now());
      log.warn({ installation: key }, 'a token of Slack’s could not be renewed; trying again');
    } else {
      failedAt.delete(key);
    }
    return renewed;
  }

  return async (key) => {
    let kept = installations.get(key);
    if (kept && isDue(kept)) kept = await onceEach(key, () => renew(key));
    if (!kept || kept.removedAt !== undefined || kept.refused === 'secrets_key') return undefined;
    return installations.open(kept).bot?.token;
  };
}

function queryOf({ team, enterprise }: KeptInstallation): InstallationQuery<boolean> {
  return {
    teamId: team?.id,
    enterpriseId: enterprise?.id,
    isEnterpriseInstall: team === undefined,
  };
}
