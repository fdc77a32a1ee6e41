import { LogLevel, type Logger } from '@slack/bolt';
import type { Log } from '../conversation/ports.ts';

/** Tokens of every kind, and addresses and ids that are as good as one. */
const secrets =
  /\bx(?:ox[a-z]|app)[.-][\w.-]+|(?<="(?:token|trigger_id|response_?url)\\*":\\*")[^"\\]+|(?<=\bticket=)[^&\s"']+/gi;

const maxLength = 2_000;

/** Bolt's log lines in ours, level for level, cut at 2,000 characters and without secrets. */
export function createBoltLogger(log: Log): Logger {
  const write = (level: 'debug' | 'info' | 'warn' | 'error') => {
    return (...parts: unknown[]) => {
      // Each call of the Web API has seven lines for debugging, most with all it sent or got.
      if (log.isLevelEnabled?.(level) === false) return;
      log[level]({ from: 'bolt' }, renderParts(parts));
    };
  };
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    // Which levels are written is for our log to decide.
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
