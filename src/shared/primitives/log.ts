/** Structured logging; pino fits this interface. */
export interface Log {
  /**
   * Whether a level is written, to skip building costly lines. If absent, every level counts as
   * written.
   */
  isLevelEnabled?(level: 'debug' | 'info' | 'warn' | 'error'): boolean;
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
