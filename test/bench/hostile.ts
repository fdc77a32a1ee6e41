/**
 * What hostile files and addresses do to the service: each is given to one that runs in a process of
 * its own, all to the same. Prints a JSON line for each, with the most memory that the service and the
 * process that reads held meanwhile, and the slowest health check; run it with
 * `node test/bench/hostile.ts [part of a name]`. Needs /proc.
 */
import { hostileFiles } from '../fixtures/hostile/files.ts';
import {
  hostilePages,
  privateAddresses,
  startHostileWebsite,
} from '../fixtures/hostile/website.ts';
import { watchMemory } from './hostile/memory.ts';
import { type Outcome, type ServiceProcess, startServiceProcess } from './hostile/process.ts';

const goalMb = 250;
const pingMs = 20;
const only = process.argv[2] ?? '';

let highest = 0;

{
  await using service = await startServiceProcess();
  for (const [name, { content, name: fileName, type = '', ends, says }] of Object.entries(
    hostileFiles,
  )) {
    if (!name.includes(only)) continue;
    const bytes = content();
    await measure(service, name, () => service.upload(bytes, fileName, type), { ends, says });
  }
  for (const url of privateAddresses) {
    if (!url.includes(only)) continue;
    const expected = { ends: 'fail', says: /is not a public address/u };
    await measure(service, url, () => service.addUrl(url), expected);
  }
}
{
  await using site = await startHostileWebsite();
  // The hostile pages lie on loopback.
  await using service = await startServiceProcess({ ALLOW_PRIVATE_ADDRESSES: 'on' });
  for (const [path, { says }] of Object.entries(hostilePages)) {
    if (!path.includes(only)) continue;
    await measure(service, path, () => service.addUrl(site.url + path), { ends: 'fail', says });
  }
}
print({ measure: 'highest RSS of the service, MB', value: Math.round(highest), goal: goalMb });

async function measure(
  service: ServiceProcess,
  name: string,
  add: () => Promise<Outcome>,
  expected: { ends: number | string; says?: RegExp },
): Promise<void> {
  using memory = watchMemory(service.pid);
  const begun = performance.now();
  const stop = new AbortController();
  const slowest = pingUntil(service, stop.signal);
  const { status, reason } = await add();
  const seconds = (performance.now() - begun) / 1000;
  stop.abort();
  highest = Math.max(highest, memory.process());
  print({
    case: name,
    ok: status === expected.ends && (expected.says?.test(reason) ?? true),
    status,
    seconds: Math.round(seconds * 100) / 100,
    service_mb: Math.round(memory.process()),
    reader_mb: Math.round(memory.children()),
    slowest_ping_ms: Math.round(await slowest),
    reason,
  });
}

async function pingUntil(service: ServiceProcess, signal: AbortSignal): Promise<number> {
  let slowest = 0;
  while (!signal.aborted) {
    slowest = Math.max(slowest, await service.pingMs());
    await new Promise((resolve) => setTimeout(resolve, pingMs));
  }
  return slowest;
}

function print(row: object): void {
  process.stdout.write(`${JSON.stringify({ bench: 'hostile', ...row })}\n`);
}
