import { isIP } from 'node:net';
import { join, resolve } from 'node:path';
import type { Proxies } from '../shared/primitives/proxies.ts';
import { explainUnusable } from '../shared/stores/store-url.ts';
import { type Environment, readSecret, readWhole } from './environment.ts';
import type { ProxyVariable } from './variables.ts';

/** Where the process listens, what it logs, where it stores data and how long it takes to stop. */
export interface ProcessConfig {
  host: string;
  port: number;
  metrics: MetricsConfig;
  logLevel: LogLevel;
  /** Default: readable on a terminal, JSON elsewhere. */
  logFormat?: LogFormat;
  dataDir: string;
  storeUrl: string;
  /** To a server of Postgres, for the bridge and for the service each. */
  maxConnections: number;
  /** Sessions and turns not used for this long are deleted. Absent: sessions are kept. */
  retentionMs?: number;
  /** How long running answers may continue after a stop signal. */
  graceMs: number;
}

/** Where the metrics are, and who reads them. */
export interface MetricsConfig {
  /** The token that readers send. */
  token?: string;
  /** A port of their own, on loopback. Absent: the port of the process. */
  port?: number;
  /** Nobody can read them: other machines reach the process, and neither a token nor a port is set. */
  isClosed: boolean;
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
  const host = readHost(environment, hasSandbox);
  const port = readPort(environment, 'PORT') ?? 3000;
  return {
    host,
    port,
    metrics: readMetrics(environment, { host, port }),
    logLevel: readLogLevel(environment),
    logFormat: readLogFormat(environment),
    dataDir,
    storeUrl: readStoreUrl(environment, dataDir),
    maxConnections: readWhole(environment, 'STORE_CONNECTIONS_MAX', { min: 4, max: 1000 }) ?? 10,
    retentionMs: retentionDays && retentionDays * 24 * 60 * 60 * 1000,
    graceMs: graceSeconds * 1000,
  };
}

function readHost(environment: Environment, hasSandbox: boolean): string {
  const value = environment.read('HOST') ?? '127.0.0.1';
  if (value !== 'localhost' && isIP(value) === 0) {
    environment.fault(
      'HOST',
      `is "${value}", which is not an IP address. Use 127.0.0.1, or 0.0.0.0 for all interfaces.`,
    );
  } else if (hasSandbox) {
    const problem = refuseOpenSandbox(value);
    if (problem) environment.fault('HOST', problem);
  }
  return value;
}

/** Why a sandbox can't start at a host; undefined if only this machine reaches it. */
export function refuseOpenSandbox(host: string): string | undefined {
  if (isLoopback(host)) return undefined;
  return `is ${host}, but without SLACK_BOT_TOKEN, SLACK_CLIENT_ID or DISCORD_TOKEN the sandbox starts, which must not be reachable from other machines. Set one of them, or HOST=127.0.0.1.`;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}

function readPort(environment: Environment, name: 'PORT' | 'METRICS_PORT'): number | undefined {
  const value = environment.read(name);
  if (value === undefined) return undefined;
  const port = Number(value);
  if (/^\d+$/.test(value) && port <= 65_535) return port;
  environment.fault(name, `is "${value}". Use a number from 0 (any free port) to 65535.`);
  return undefined;
}

/** Shorter tokens can be guessed. */
const metricsToken = {
  pattern: /^.{16}/,
  problem: 'is shorter than 16 characters. Use a long random one.',
};

function readMetrics(
  environment: Environment,
  server: { host: string; port: number },
): MetricsConfig {
  const token = readSecret(environment, 'METRICS_TOKEN', metricsToken);
  const port = readPort(environment, 'METRICS_PORT');
  if (port !== undefined && port !== 0 && port === server.port) {
    environment.fault('METRICS_PORT', `is ${port}, the same as PORT. Use another.`);
  }
  const isClosed = token === undefined && port === undefined && !isLoopback(server.host);
  return { token, port, isClosed };
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
  const problem = explainUnusable(value, dataDir);
  if (problem !== undefined) environment.fault('STORE_URL', problem);
  return value;
}

/** Reads the proxies as curl does: variables in lower case take precedence. */
export function readProxies(environment: Environment): Proxies {
  const noProxy = environment.read('no_proxy') ?? environment.read('NO_PROXY') ?? '';
  // The built-in service answers there, over HTTP.
  const ownHost = environment.read('HOST') ?? '127.0.0.1';
  return {
    http: readProxy(environment, ['http_proxy', 'HTTP_PROXY']),
    https: readProxy(environment, ['https_proxy', 'HTTPS_PROXY']),
    direct: [...noProxy.split(/[\s,]+/), ownHost].filter((entry) => entry !== ''),
  };
}

function readProxy(environment: Environment, names: readonly ProxyVariable[]): URL | undefined {
  const name = names.find((each) => environment.read(each) !== undefined);
  const value = name && environment.read(name);
  if (!value) return undefined;
  const url = URL.parse(value.includes('://') ? value : `http://${value}`);
  if (url && isProxy(url)) return url;
  // The value may contain a password.
  environment.fault(
    name,
    'is not the address of an HTTP proxy. Use one like http://proxy.example.com:3128, with special characters of a password percent-encoded.',
  );
  return undefined;
}

function isProxy({ protocol, pathname, search, hash, username, password }: URL): boolean {
  const isBare = pathname === '/' && search === '' && hash === '';
  return /^https?:$/.test(protocol) && isBare && isEncoded(username) && isEncoded(password);
}

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
