import { spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * Runs the benches of this folder one after another, or those named; options go to each of them.
 *
 *     npm run bench [-- <bench>… --<option>…]
 */

const benches = [
  'retrieval',
  'passages',
  'vectors',
  'hostile',
  'service',
  'upload',
  'replies',
  'crash',
  'storm',
];

const given = process.argv.slice(2);
const firstOption = given.findIndex((each) => each.startsWith('-'));
const names = given.slice(0, firstOption === -1 ? given.length : firstOption);
const unknown = names.find((name) => !benches.includes(name));
if (unknown !== undefined) {
  throw new Error(`There is no bench “${unknown}”. There are: ${benches.join(', ')}.`);
}

for (const bench of names.length > 0 ? names : benches) {
  const file = new URL(`${bench}.ts`, import.meta.url).pathname;
  const child = spawn(process.execPath, [file, ...given.slice(names.length)], { stdio: 'inherit' });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) process.exitCode = 1;
}
