import { commands } from './cli/commands.ts';
import { readCommandLine } from './cli/command-line.ts';
import { explainFailure } from './cli/explain-failure.ts';
import { loadEnvironment } from './cli/load-environment.ts';
import { prepareRequests } from './cli/prepare-requests.ts';
import { readVersion } from './cli/version.ts';

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
