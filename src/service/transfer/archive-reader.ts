import { promisify } from 'node:util';
import { type Entry, open, type Options, type ZipFile } from 'yauzl';
import { RefusedError } from '../../primitives/refused-error.ts';

/** The entries of a zip file from anybody, by name. Names are only looked up, never opened as paths. */
export interface ArchiveReader extends Disposable {
  names(): Iterable<string>;
  /** Bytes of all entries together, as declared; yauzl refuses entries with more. */
  readonly bytes: number;
  size(name: string): number;
  /** @throws {RefusedError} when there is no such entry */
  stream(name: string): Promise<NodeJS.ReadableStream>;
  /** The lines of an entry. */
  lines(name: string): AsyncGenerator<string>;
}

const openZip = promisify<string, Options, ZipFile>(open);

/** A session document is the longest: a file of 64 MiB, as JSON. */
const maxLineLength = 256 * 1024 * 1024;

/** @throws {RefusedError} when the file is no zip file, or cut off */
export async function openArchiveFile(path: string): Promise<ArchiveReader> {
  const damaged = (error: unknown): never => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new RefusedError(
      `${path} can’t be read: ${reason.replace(/\.$/, '')}. Nothing was imported.`,
    );
  };
  const zip = await openZip(path, {
    lazyEntries: true,
    autoClose: false,
    strictFileNames: true,
  }).catch(damaged);
  const entries = await readEntries(zip).catch((error: unknown) => {
    zip.close();
    return damaged(error);
  });
  const openStream = promisify<Entry, NodeJS.ReadableStream>(zip.openReadStream.bind(zip));

  const find = (name: string): Entry => {
    const entry = entries.get(name);
    if (entry !== undefined) return entry;
    throw new RefusedError(`${path} has no ${name}. Nothing was imported.`);
  };
  const stream = async (name: string) => openStream(find(name)).catch(damaged);

  return {
    names: () => entries.keys(),
    bytes: [...entries.values()].reduce((sum, { uncompressedSize }) => sum + uncompressedSize, 0),
    size: (name) => find(name).uncompressedSize,
    stream,
    async *lines(name) {
      const decoder = new TextDecoder('utf-8', { fatal: true });
      let rest = '';
      try {
        for await (const piece of await stream(name)) {
          const parts = (rest + decoder.decode(piece as Buffer, { stream: true })).split('\n');
          rest = parts.pop() ?? '';
          if (rest.length > maxLineLength) throw new Error('a line is too long');
          yield* parts;
        }
        if (rest + decoder.decode() !== '') throw new Error('its last line is cut off');
      } catch (error) {
        if (error instanceof RefusedError) throw error;
        const reason = error instanceof Error ? error.message : String(error);
        throw new RefusedError(`${name} can’t be read: ${reason}. Nothing was imported.`, {
          cause: error,
        });
      }
    },
    [Symbol.dispose]: () => zip.close(),
  };
}

async function readEntries(zip: ZipFile): Promise<Map<string, Entry>> {
  const entries = new Map<string, Entry>();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  zip.on('entry', (entry: Entry) => {
    if (entries.has(entry.fileName)) return reject(new Error(`it has ${entry.fileName} twice`));
    entries.set(entry.fileName, entry);
    zip.readEntry();
  });
  zip.on('end', resolve);
  zip.on('error', reject);
  zip.readEntry();
  await promise;
  return entries;
}
