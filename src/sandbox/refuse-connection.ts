import type { Duplex } from 'node:stream';

/** Refuses an upgrade, as a platform does that is down. */
export function refuseConnection(socket: Duplex): void {
  socket.end('HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
}
