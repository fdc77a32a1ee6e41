const loopbackNames = new Set(['127.0.0.1', 'localhost', '[::1]']);

/**
 * Whether a Host header names this machine. A page elsewhere that has its own name resolve to
 * loopback (DNS rebinding) still sends that name here.
 */
export function isLoopback(host: string): boolean {
  return loopbackNames.has(host.replace(/:\d+$/, '').toLowerCase());
}
