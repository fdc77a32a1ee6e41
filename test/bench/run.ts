import { spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * Runs the short benches of this folder one after another, or those named; options go to each of
 * them.
 *
 *     npm run bench [-- <bench>… --<option>…]
 */

const benches = [
  'idle',
  'retrieval',
  'passages',
  'questions',
  'first-questions',
  'gaps',
  'vectors',
  'hostile',
  'flood',
  'pause',
  'service',
  'upload',
  'replies',
  'crowd',
  'profile',
  'workspaces',
  'page',
];

/** These take up to ten minutes each, and run only if named. */
const longBenches = ['crash', 'storm', 'soak', 'scale'];

const given = process.argv.slice(2);
const firstOption = given.findIndex((each) => each.startsWith('-'));
const names = given.slice(0, firstOption === -1 ? given.length : firstOption);
const all = [...benches, ...longBenches];
const unknown = names.find((name) => !all.includes(name));
if (unknown !== undefined) {
  throw new Error(`There is no bench “${unknown}”. There are: ${all.join(', ')}.`);
}

for (const bench of names.length > 0 ? names : benches) {
  const file = new URL(`${bench}.ts`, import.meta.url).pathname;
  const child = spawn(process.execPath, [file, ...given.slice(names.length)], { stdio: 'inherit' });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) process.exitCode = 1;
}
