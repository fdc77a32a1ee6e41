import { spawn } from 'node:child_process';
import { createDataDir } from '../app/upstream.ts';
import { OpenError } from '../shared/stores/open-error.ts';

const timeoutMs = 5_000;

/**
 * Makes sure that the data folder exists and can be written to. Another process looks at it first: a
 * file system that hangs, such as an unreachable network drive, would block this process for good, even
 * its exit.
 * @throws {OpenError}
 */
export async function openDataDir(dataDir: string): Promise<void> {
  if (!(await answers(dataDir))) {
    throw new OpenError(
      `DATA_DIR names ${dataDir}, which`,
      'Check its drive, which may be on a network, or choose another place.',
      new Error(`its file system has not answered for ${timeoutMs / 1000} seconds`),
    );
  }
  createDataDir(dataDir);
}

function answers(folder: string): Promise<boolean> {
  const answered = Promise.withResolvers<boolean>();
  const child = spawn('ls', ['-ld', folder], { stdio: 'ignore' });
  const timeout = setTimeout(() => {
    child.kill('SIGKILL');
    child.unref();
    answered.resolve(false);
  }, timeoutMs);
  const end = () => {
    clearTimeout(timeout);
    answered.resolve(true);
  };
  // Without `ls`, the file system can't be checked and counts as working.
  child.once('error', end);
  child.once('exit', end);
  return answered.promise;
}
