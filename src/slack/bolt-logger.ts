import { LogLevel, type Logger } from '@slack/bolt';
import type { Log } from '../conversation/ports.ts';

/** Tokens of every kind, and URLs and ids that grant as much as a token. */
const secrets =
  /\bx(?:ox[a-z]|app)[.-][\w.-]+|(?<="(?:token|trigger_id|response_?url)\\*":\\*")[^"\\]+|(?<=\bticket=)[^&\s"']+/gi;

const maxLength = 2_000;

/**
 * Writes Bolt's log lines to our log at the same level, cut at 2,000 characters and without
 * secrets.
 */
export function createBoltLogger(log: Log): Logger {
  const write = (level: 'debug' | 'info' | 'warn' | 'error') => {
    return (...parts: unknown[]) => {
      // Each Web API call logs seven debug lines, most with the whole request or response.
      if (log.isLevelEnabled?.(level) === false) return;
      log[level]({ from: 'bolt' }, renderParts(parts));
    };
  };
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    // Our log decides which levels are written.
    setLevel() {},
    getLevel: () => LogLevel.INFO,
    setName() {},
  };
}

function renderParts(parts: unknown[]): string {
  return parts.map(renderPart).join(' ').slice(0, maxLength).replace(secrets, '[secret]');
}

function renderPart(part: unknown): string {
  if (typeof part === 'string') return part;
  if (part instanceof Error) return `${part.name}: ${part.message}`;
  try {
    return JSON.stringify(part) ?? String(part);
  } catch {
    return String(part);
  }
}
