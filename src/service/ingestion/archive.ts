import { promisify } from 'node:util';
import { type Entry, fromBuffer, type Options, type ZipFile } from 'yauzl';
import { sum } from '../../shared/primitives/iterables.ts';
import type { ArchiveExcess } from '../../shared/problems/problem.ts';
import { IngestionError } from './document.ts';

/**
 * The entries of a zip file, by name. Names are only looked up, never opened as paths. Where no entry has
 * the name, one with other capitals is meant, as in Office documents (ECMA-376 part 2).
 */
export interface Archive {
  has(name: string): boolean;
  /** An entry's text in pieces as it is unpacked; nothing if there is no such entry. */
  pieces(name: string): AsyncGenerator<string>;
  /** The whole text of a short entry, '' if there is none. */
  text(name: string): Promise<string>;
}

export const maxEntries = 10_000;
/** Max size of all entries, both as declared in the directory and as actually unpacked. */
export const maxUnpackedBytes = 256 * 1024 * 1024;
/**
 * Office documents unpack to about 20 times their size, rarely more than 50; a zip bomb to 1000.
 */
const maxRatio = 200;
/** Below this size the ratio is not checked: a page of repeated letters compresses well. */
const harmlessBytes = 1024 * 1024;

const open = promisify<Buffer, Options, ZipFile>(fromBuffer);

/**
 * Opens a zip file. The directory is checked before anything is unpacked, and the output is
 * counted, because the directory may be wrong.
 * @throws {IngestionError} here or while reading: when it is damaged, too large, or protected
 */
export async function openArchive(bytes: Uint8Array): Promise<Archive> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const zip = await open(buffer, { lazyEntries: true, autoClose: false }).catch(throwDamaged);
  if (zip.entryCount > maxEntries) throw tooLarge({ unit: 'entries', count: maxEntries });
  const entries = await readDirectory(zip).catch(throwDamaged);
  checkSizes([...entries.values()], bytes.byteLength);
  const byLowerCase = new Map(
    entries.entries().map(([name, entry]) => [name.toLowerCase(), entry]),
  );
  const find = (name: string) => entries.get(name) ?? byLowerCase.get(name.toLowerCase());
  const openStream = promisify<Entry, NodeJS.ReadableStream>(zip.openReadStream.bind(zip));
  let unpacked = 0;

  async function* pieces(name: string): AsyncGenerator<string> {
    const entry = find(name);
    if (entry === undefined) return;
    if (entry.isEncrypted()) throw new IngestionError('document_protected');
    let decoder: InstanceType<typeof TextDecoder> | undefined;
    try {
      for await (const part of await openStream(entry)) {
        const bytes = part as Buffer;
        unpacked += bytes.length;
        if (unpacked > maxUnpackedBytes) throw tooLarge({ unit: 'bytes', count: maxUnpackedBytes });
        decoder ??= new TextDecoder(toEncoding(bytes));
        yield decoder.decode(bytes, { stream: true });
      }
    } catch (error) {
      throwDamaged(error);
    }
    yield decoder?.decode() ?? '';
  }

  return {
    has: (name) => find(name) !== undefined,
    pieces,
    text: async (name) => (await Array.fromAsync(pieces(name))).join(''),
  };
}

/** Of two entries with the same name, the last one counts, as in common unpackers. */
async function readDirectory(zip: ZipFile): Promise<Map<string, Entry>> {
  const entries = new Map<string, Entry>();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  zip.on('entry', (entry: Entry) => {
    entries.set(entry.fileName, entry);
    zip.readEntry();
  });
  zip.once('end', resolve).once('error', reject);
  zip.readEntry();
  await promise;
  return entries;
}

function checkSizes(entries: Entry[], packed: number): void {
  const unpacked = sum(entries.map(({ uncompressedSize }) => uncompressedSize));
  if (unpacked > maxUnpackedBytes) throw tooLarge({ unit: 'bytes', count: unpacked });
  if (unpacked > harmlessBytes && unpacked / packed > maxRatio) {
    throw tooLarge({ unit: 'times', count: Math.round(unpacked / packed) });
  }
}

/** XML is UTF-8 or UTF-16 with a byte order mark. */
function toEncoding(bytes: Buffer): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : 'utf-8';
}

function tooLarge(params: ArchiveExcess): IngestionError {
  return new IngestionError({ code: 'archive_too_large', params });
}

function throwDamaged(error: unknown): never {
  if (error instanceof IngestionError) throw error;
  throw new IngestionError('archive_damaged', { cause: error });
}
