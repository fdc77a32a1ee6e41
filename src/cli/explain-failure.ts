import { ConfigError } from '../config/config.ts';
import { PlatformError } from '../bridge/conversation/errors.ts';
import { RefusedError } from '../shared/primitives/refused-error.ts';
import { OpenError } from '../shared/stores/open-error.ts';

/** The system's codes when the server can't listen. */
const addressAdvice: Record<string, string> = {
  EADDRINUSE: 'Another process already listens at HOST:PORT. Stop it, or set another PORT.',
  EADDRNOTAVAIL:
    'HOST is not an address of this machine. Use 127.0.0.1, or 0.0.0.0 for all of them.',
  EACCES: 'This user may not listen at PORT. Use one from 1024 on.',
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
  const { code, syscall } = error as NodeJS.ErrnoException;
  const advice = syscall === 'listen' ? addressAdvice[code ?? ''] : undefined;
  return advice ?? `Causeway can’t go on: ${error.message}`;
}
