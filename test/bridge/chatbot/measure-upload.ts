// Uploads the number of MB in its argument to a server that drops them, in its own process. Prints how
// many bytes arrived and how much its memory grew at most. Run with --expose-gc, so that only memory
// that is held counts.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createChatbotClient } from '../../../src/bridge/chatbot/chatbot-client.ts';
import { source } from './fixtures.ts';

const pieceSize = 64 * 1024;
let received = 0;
let peak = 0;

const server = createServer((request, response) => {
  request.on('data', (bytes: Buffer) => (received += bytes.length));
  request.on('end', () => response.end(JSON.stringify(source)));
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');

async function* content(pieces: number) {
  for (let i = 0; i < pieces; i++) {
    yield Buffer.alloc(pieceSize, i);
    if (i % 32 === 0) globalThis.gc?.();
    peak = Math.max(peak, process.memoryUsage.rss());
  }
}

const { port } = server.address() as AddressInfo;
const client = createChatbotClient({ baseUrl: `http://127.0.0.1:${port}`, apiKey: 'key' });
await client.uploadDataSource('c1', { name: 'warm-up.bin', content: content(128) });

const before = process.memoryUsage.rss();
const pieces = (Number(process.argv[2]) * 1024 * 1024) / pieceSize;
await client.uploadDataSource('c1', { name: 'large.bin', content: content(pieces) });
process.stdout.write(JSON.stringify({ received, growth: peak - before }));

await client[Symbol.asyncDispose]();
server.close();
