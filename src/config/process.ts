import { isIP } from 'node:net';
import { join, resolve } from 'node:path';
import { type Environment, readWhole } from './environment.ts';

/** Where the process listens, what it logs, where it stores data and how long it takes to stop. */
export interface ProcessConfig {
  host: string;
  port: number;
  logLevel: LogLevel;
  /** Default: readable on a terminal, JSON elsewhere. */
  logFormat?: LogFormat;
  dataDir: string;
  storeUrl: string;
  /** Sessions and turns not used for this long are deleted. Absent: sessions are kept. */
  retentionMs?: number;
  /** How long running answers may continue after a stop signal. */
  graceMs: number;
}

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
type LogLevel = (typeof logLevels)[number];

const logFormats = ['json', 'pretty'] as const;
type LogFormat = (typeof logFormats)[number];

/**
 * Reads where to listen, what to log, where to store data and how long to take to stop.
 *
 * @param hasSandbox whether the sandbox starts, which allows only a loopback host
 */
export function readProcess(environment: Environment, hasSandbox: boolean): ProcessConfig {
  const dataDir = resolve(environment.read('DATA_DIR') ?? 'data');
  const retentionDays = readWhole(environment, 'RETENTION_DAYS', { min: 1, max: 36_500 });
  const graceSeconds = readWhole(environment, 'SHUTDOWN_GRACE_SECONDS', { min: 0, max: 3600 }) ?? 6;
  return {
    host: readHost(environment, hasSandbox),
    port: readPort(environment),
    logLevel: readLogLevel(environment),
    logFormat: readLogFormat(environment),
    dataDir,
    storeUrl: readStoreUrl(environment, dataDir),
    retentionMs: retentionDays && retentionDays * 24 * 60 * 60 * 1000,
    graceMs: graceSeconds * 1000,
  };
}

function readHost(environment: Environment, hasSandbox: boolean): string {
  const value = environment.read('HOST') ?? '127.0.0.1';
  const loopback = value === 'localhost' || value === '::1' || value.startsWith('127.');
  if (value !== 'localhost' && isIP(value) === 0) {
    environment.fault(
      'HOST',
      `is "${value}", which is not an IP address. Use 127.0.0.1, or 0.0.0.0 for all interfaces.`,
    );
  } else if (hasSandbox && !loopback) {
    environment.fault(
      'HOST',
      `is ${value}, but without SLACK_BOT_TOKEN or DISCORD_TOKEN the sandbox starts, which must not be reachable from other machines. Set a token, or HOST=127.0.0.1.`,
    );
  }
  return value;
}

function readPort(environment: Environment): number {
  const value = environment.read('PORT') ?? '3000';
  const port = Number(value);
  if (/^\d+$/.test(value) && port <= 65_535) return port;
  environment.fault('PORT', `is "${value}". Use a number from 0 (any free port) to 65535.`);
  return 3000;
}

function readLogLevel(environment: Environment): LogLevel {
  const value = environment.read('LOG_LEVEL') ?? 'info';
  const level = logLevels.find((each) => each === value);
  if (!level) environment.fault('LOG_LEVEL', `is "${value}". Use one of ${logLevels.join(', ')}.`);
  return level ?? 'info';
}

function readLogFormat(environment: Environment): LogFormat | undefined {
  const value = environment.read('LOG_FORMAT');
  const format = logFormats.find((each) => each === value);
  if (value && !format) {
    environment.fault('LOG_FORMAT', `is "${value}". Use ${logFormats.join(' or ')}.`);
  }
  return format;
}

function readStoreUrl(environment: Environment, dataDir: string): string {
  const value = environment.read('STORE_URL') ?? `sqlite:${join(dataDir, 'causeway.sqlite')}`;
  if (!/^sqlite:.+/.test(value)) {
    environment.fault(
      'STORE_URL',
      'is not a supported kind. Use sqlite:path/to/file.sqlite, or leave it empty.',
    );
  }
  return value;
}
