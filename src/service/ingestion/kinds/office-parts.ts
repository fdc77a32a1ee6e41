import { dirname, join, normalize } from 'node:path/posix';
import type { Archive } from '../archive.ts';
import { readFirst, readXml } from '../xml.ts';

/** The title in the properties of a Word, PowerPoint or Excel document, '' if there is none. */
export async function readOfficeTitle(archive: Archive): Promise<string> {
  return readFirst(archive.pieces('docProps/core.xml'), 'title');
}

/** The parts that a part of the document refers to, by relationship id ("rId2"). */
export async function readRelations(
  archive: Archive,
  part: string,
): Promise<Map<string, { target: string; type: string }>> {
  const relations = new Map<string, { target: string; type: string }>();
  const name = part.slice(part.lastIndexOf('/') + 1);
  await readXml(archive.pieces(join(dirname(part), '_rels', `${name}.rels`)), {
    open: ({ name, attributes }) => {
      const { Id: id, Target: target, Type: type = '', TargetMode: mode } = attributes;
      if (name !== 'Relationship' || id === undefined || target === undefined) return;
      if (mode !== 'External') relations.set(id, { target: resolve(part, target), type });
    },
  });
  return relations;
}

/** Resolves an entry's name relative to another entry's folder, or to the root. */
export function resolve(from: string, target: string): string {
  return target.startsWith('/') ? normalize(target).slice(1) : join(dirname(from), target);
}
