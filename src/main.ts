import { readFileSync } from 'node:fs';
import { readCommandLine } from './cli/command-line.ts';
import { commands } from './cli/command-list.ts';
import { prepareRequests } from './cli/prepare-requests.ts';
import { readVariables } from './cli/setup/env-file.ts';
import { ConfigError } from './config/config.ts';
import { explainFailure } from './cli/run-until-stopped.ts';

try {
  const env = loadEnvironment();
  const argv = process.argv.slice(2);
  const request = readCommandLine(argv, { commands, env, version: readVersion() });
  if (request.kind === 'run') {
    await prepareRequests(request.input.env);
    await request.command.run(request.input);
  } else {
    process[request.exitCode === 0 ? 'stdout' : 'stderr'].write(request.text);
    process.exitCode = request.exitCode;
  }
} catch (error) {
  process.stderr.write(`${explainFailure(error)}\n`);
  // What a failed start leaves behind, such as a library's timer, must not keep the process.
  process.exit(1);
}

/**
 * The environment, with what `.env` in the working directory adds to it.
 * @throws {ConfigError} when that file can't be read
 */
function loadEnvironment(): NodeJS.ProcessEnv {
  try {
    for (const [name, value] of Object.entries(readVariables('.env'))) process.env[name] ??= value;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError([
      `.env can’t be read: ${reason}. Let this user read it, or move it away.`,
    ]);
  }
  return process.env;
}

/** The version of Causeway, as in package.json. */
function readVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
