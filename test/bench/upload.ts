/**
 * By how much the memory of the bridge grows while a file of 20 MB goes through it to the service,
 * from either platform, with the service built in and in a process of its own. Prints a JSON line for
 * each; run it with `node test/bench/upload.ts`. Needs /proc.
 */
import { randomBytes } from 'node:crypto';
import { serveSandbox } from '../sandbox/serve-sandbox.ts';
import { watchMemory } from './hostile/memory.ts';
import { type Place, startBridge } from './upload/bridge.ts';
import { discordUpload, slackUpload } from './upload/people.ts';

const megabyte = 1024 * 1024;
const sizeMb = 20;
const goalMb = 60;
const warmUps = 3;

const places: Place[] = ['built in', 'of its own'];
const platforms = { Slack: slackUpload, Discord: discordUpload };
for (const place of places) {
  for (const [platform, uploadTo] of Object.entries(platforms)) {
    // What one upload left behind, the next would grow into: each has a process of its own.
    await using served = await serveSandbox();
    const { sandbox } = served;
    sandbox.discord.raiseUploadLimit(25 * megabyte);
    await using bridge = await startBridge(sandbox, place);
    const upload = uploadTo(sandbox);
    for (let count = 1; count <= warmUps; count += 1) {
      await upload({ name: `small-${count}.pdf`, bytes: createFile(64 * 1024) });
    }
    using memory = watchMemory(bridge.pid);
    const idle = memory.process();
    const told = await upload({ name: 'large.pdf', bytes: createFile(sizeMb * megabyte) });
    const growth = memory.process() - idle;
    print({
      measure: `RSS growth of the bridge, ${sizeMb} MB from ${platform} to the service ${place}, MB`,
      value: Math.round(growth),
      goal: goalMb,
      idle: Math.round(idle),
      told: told.slice(0, 120),
    });
    if (growth > goalMb) process.exitCode = 1;
  }
}

/** It says that it is a PDF and is none: what counts here is its way, not its reading. */
function createFile(size: number): Uint8Array {
  return Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(size - 9)]);
}

function print(row: object): void {
  process.stdout.write(`${JSON.stringify(row)}\n`);
}
