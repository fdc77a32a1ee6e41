import { isIPv6 } from 'node:net';
import { ConfigError } from '../config/config.ts';
import { PlatformError } from '../bridge/conversation/errors.ts';
import { RefusedError } from '../shared/primitives/refused-error.ts';
import { OpenError } from '../shared/stores/open-error.ts';

/** What to do when the server can't listen, by the system's codes. */
const addressAdvice: Record<string, (host: string, port: number) => string> = {
  EADDRINUSE: (host, port) =>
    `Another process already listens at ${isIPv6(host) ? `[${host}]` : host}:${port}, perhaps another Causeway. Stop it, or set another PORT, as in npm start -- --port ${port + 1}.`,
  EADDRNOTAVAIL: (host) =>
    `HOST is ${host}, which is not an address of this machine. Use 127.0.0.1, or 0.0.0.0 for all of them.`,
  EACCES: (_, port) => `This user may not listen at PORT ${port}. Use one from 1024 on.`,
};

/** The message on stderr when the process can't start or continue: what is wrong, and what to do. */
export function explainFailure(error: unknown): string {
  if (
    error instanceof ConfigError ||
    error instanceof PlatformError ||
    error instanceof OpenError ||
    error instanceof RefusedError
  ) {
    return error.message;
  }
  if (!(error instanceof Error)) return `Causeway can’t go on: ${String(error)}`;
  const { code = '', syscall, address = '', port = 0 } = error as ListenError;
  const advice = syscall === 'listen' ? addressAdvice[code]?.(address, port) : undefined;
  return advice ?? `Causeway can’t go on: ${error.message}`;
}

type ListenError = NodeJS.ErrnoException & { address?: string; port?: number };
