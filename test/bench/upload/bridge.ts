import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createManifest } from '../../../src/app/manifest.ts';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { startCauseway } from '../../e2e/causeway-process.ts';
import { startServiceProcess } from '../hostile/process.ts';
import { commandNames } from '../../fixtures/command-names.ts';

/** The bridge as its own process, in the workspace and on the server of a sandbox elsewhere. */
export interface Bridge extends AsyncDisposable {
  pid: number;
  dataDir: string;
}

/** Where the chatbot service is: in the bridge's process, or in one of its own. */
export type Place = 'built in' | 'of its own';

export async function startBridge({ slack, discord }: Sandbox, place: Place): Promise<Bridge> {
  await using parts = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), 'causeway-upload-'));
  parts.defer(() => rm(dataDir, { recursive: true, force: true }));
  const service = place === 'of its own' ? await startServiceProcess() : undefined;
  if (service) parts.use(service);
  slack.install(JSON.parse(createManifest(commandNames())));
  const { pid } = parts.use(
    await startCauseway({
      DATA_DIR: dataDir,
      LOG_LEVEL: 'silent',
      SLACK_BOT_TOKEN: slack.credentials.botToken,
      SLACK_APP_TOKEN: slack.credentials.appToken,
      SLACK_API_URL: slack.credentials.apiUrl,
      DISCORD_TOKEN: discord.credentials.token,
      DISCORD_API_URL: discord.credentials.apiUrl,
      ...service?.env,
    }),
  );
  const running = parts.move();
  return { pid, dataDir, [Symbol.asyncDispose]: () => running.disposeAsync() };
}
