import { existsSync } from 'node:fs';
import { ConfigError } from '../config/config.ts';

/**
 * The environment, with what `.env` in the working directory adds to it.
 * @throws {ConfigError} when that file can't be read
 */
export function loadEnvironment(): NodeJS.ProcessEnv {
  try {
    if (existsSync('.env')) process.loadEnvFile();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError([
      `.env can’t be read: ${reason}. Let this user read it, or move it away.`,
    ]);
  }
  return process.env;
}
