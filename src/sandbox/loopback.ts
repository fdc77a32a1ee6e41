const loopbackNames = new Set(['127.0.0.1', 'localhost', '[::1]']);

/**
 * Whether a Host header names this machine. A page whose domain resolves to loopback (DNS
 * rebinding) still sends its own domain here.
 */
export function isLoopback(host: string): boolean {
  return loopbackNames.has(host.replace(/:\d+$/, '').toLowerCase());
}
