import { LogLevel, type Logger } from '@slack/bolt';
import type { Log } from '../conversation/ports.ts';

/** Tokens of every kind, and URLs and ids that grant as much as a token. */
const secrets =
  /\bx(?:ox[a-z]|app)[.-][\w.-]+|(?<="(?:token|trigger_id|response_?url)\\*":\\*")[^"\\]+|(?<=\bticket=)[^&\s"']+/gi;

const maxLength = 2_000;

/**
 * Writes Bolt's log lines to our log at the same level, cut at 2,000 characters and without
 * secrets. Its debug lines quote whole requests and events, with what people and models say: each is
 * cut where data begins.
 */
export function createBoltLogger(log: Log): Logger {
  const write = (level: 'debug' | 'info' | 'warn' | 'error') => {
    return (...parts: unknown[]) => {
      // Each Web API call logs seven debug lines, most with the whole request or response.
      if (log.isLevelEnabled?.(level) === false) return;
      const text = renderParts(parts);
      log[level]({ from: 'bolt' }, level === 'debug' ? withoutData(text) : text);
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

function withoutData(text: string): string {
  const start = text.search(/[{[](?!secret\])/);
  return start === -1 ? text : `${text.slice(0, start)}…`;
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
