// Plain JavaScript: a Node.js that can't read TypeScript gets this far, and is told what to do.
const [major = 0] = process.versions.node.split('.').map(Number);
if (major >= 24) {
  await import('./main.ts');
} else {
  process.stderr.write(
    `Causeway needs Node.js 24 or newer; this is ${process.versions.node}. Run npm ci without --omit=dev, which brings it along, or install Node.js 24.\n`,
  );
  process.exitCode = 1;
}
