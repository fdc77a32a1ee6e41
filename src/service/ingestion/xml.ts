import { dirname, join, normalize } from 'node:path/posix';
import { SaxesParser } from 'saxes';
import type { Archive } from './archive.ts';
import { IngestionError } from './document.ts';

/** An element as it opens, with names and attributes without their prefix. */
export interface XmlElement {
  name: string;
  attributes: Record<string, string>;
  /** The attributes with their prefixes. */
  written: Record<string, string>;
}

export interface XmlHandlers {
  open?(element: XmlElement): void;
  close?(name: string): void;
  text?(text: string): void;
}

const maxXmlDepth = 500;

/**
 * Parses XML piece by piece; without any piece it does nothing. A document type is skipped and its
 * entities stay unknown, so none can refer outside the file or expand.
 * @throws {IngestionError} when it is malformed or nested too deeply
 */
export async function readXml(pieces: AsyncIterable<string>, handlers: XmlHandlers): Promise<void> {
  const parser = new SaxesParser<{ xmlns: false; position: false }>({
    xmlns: false,
    position: false,
  });
  let depth = 0;
  parser.on('error', (error) => {
    throw new IngestionError('xml_broken', { cause: error });
  });
  parser.on('opentag', ({ name, attributes }) => {
    depth += 1;
    if (depth > maxXmlDepth) {
      const params = { max: maxXmlDepth };
      throw new IngestionError({ code: 'xml_too_deep', params });
    }
    handlers.open?.({
      name: withoutPrefix(name),
      attributes: Object.fromEntries(
        Object.entries(attributes).map(([key, value]) => [withoutPrefix(key), value]),
      ),
      written: attributes,
    });
  });
  parser.on('closetag', ({ name }) => {
    depth -= 1;
    handlers.close?.(withoutPrefix(name));
  });
  const onText = (text: string): void => handlers.text?.(text);
  parser.on('text', onText);
  parser.on('cdata', onText);
  let isThere = false;
  for await (const piece of pieces) {
    parser.write(piece);
    isThere = true;
  }
  if (isThere) parser.close();
}

function withoutPrefix(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

/** The text of the first element with this name, '' if there is none: a document's title. */
export async function readFirst(pieces: AsyncIterable<string>, name: string): Promise<string> {
  let found: string | undefined;
  let isInside = false;
  await readXml(pieces, {
    open: (element) => (isInside ||= found === undefined && element.name === name),
    close: (closed) => {
      if (closed !== name || !isInside) return;
      found ??= '';
      isInside = false;
    },
    text: (text) => {
      if (isInside) found = (found ?? '') + text;
    },
  });
  return found?.trim() ?? '';
}

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

/** The id in an element's `r:id`, beside which it may have an `id` of its own. */
export function relationIdOf({ written }: XmlElement): string {
  return Object.entries(written).find(([key]) => key.endsWith(':id'))?.[1] ?? '';
}

/** Resolves an entry's name relative to another entry's folder, or to the root. */
export function resolve(from: string, target: string): string {
  return target.startsWith('/') ? normalize(target).slice(1) : join(dirname(from), target);
}
