// Plain JavaScript: a Node.js that can't read TypeScript gets this far, and is told what to do.
import module from 'node:module';

const [major = 0] = process.versions.node.split('.').map(Number);
if (major >= 26) {
  // Later starts take half the time. Whoever can write there could change the code itself.
  module.enableCompileCache(`${import.meta.dirname}/../node_modules/.cache/causeway`);
  // Without a listener, the signal opens the debugger. An option of Node.js would do the same, but an
  // older Node.js refuses options that it doesn't know before it reads any code.
  process.on('SIGUSR1', () => {});
  await import('./main.ts');
} else {
  process.stderr.write(
    `Causeway needs Node.js 26 or newer; this is ${process.versions.node}. npm ci brings it along for Linux with glibc and macOS, on x64 and arm64, and for Windows on x64, unless told to omit optional packages. Elsewhere, install Node.js 26.\n`,
  );
  process.exitCode = 1;
}
