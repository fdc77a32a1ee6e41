import { createLru } from '../../shared/primitives/cache.ts';
import type { Records } from '../records.ts';
import { newId, newSecret } from './identifiers.ts';

/** A file in Slack's format; what is sent out has its URLs too. */
export interface SlackFile {
  id: string;
  created: number;
  timestamp: number;
  name: string;
  title: string;
  mimetype: string;
  filetype: string;
  pretty_type: string;
  user: string;
  size: number;
  mode: FileMode;
  is_external: boolean;
  is_public: boolean;
  /** The channels the file is shared in. */
  channels: string[];
  /** Whether the app received it in a modal, which lets it read the file anywhere. */
  submitted?: boolean;
}

/** `external`: stored elsewhere, and only linked; `quip`: a canvas. */
type FileMode = 'hosted' | 'external' | 'quip';

/** A file to store. */
export interface Upload {
  /** The file's id, if it has one already. */
  id?: string;
  name: string;
  /** MIME type; guessed from the name if omitted. */
  type?: string;
  /** `hosted` if omitted. */
  mode?: FileMode;
  bytes: Uint8Array | AsyncIterable<Uint8Array>;
}

/** The workspace's files, at most 25 MB each and 200 MB in total. */
export interface Files {
  /** @throws {ContentTooLarge} past 25 MB */
  store(user: string, upload: Upload): Promise<SlackFile>;
  find(id: string): SlackFile | undefined;
  /** Updates the metadata of a file, such as where it is shared. */
  update(file: SlackFile, patch: Partial<SlackFile>): SlackFile;
  remove(file: SlackFile): void;
  /** Adds a file that another workspace shares in a channel. */
  copy(file: SlackFile): void;
  read(file: SlackFile): ReadableStream<Uint8Array> | undefined;
  /** The file as Slack sends it, with its URLs. */
  toWire(file: SlackFile): Partial<SlackFile>;
}

const maxFiles = 5_000;

/** Files whose URLs start with `baseUrl`. */
export function createFiles(records: Records, baseUrl: () => string, now: () => number): Files {
  const put = (file: SlackFile) => records.put('slack.file', file.id, file);
  return {
    async store(user, { id = newId('F'), name, type, mode = 'hosted', bytes }) {
      const size = await records.contents.write(
        `slack:${id}`,
        bytes instanceof Uint8Array ? [bytes] : bytes,
      );
      const created = Math.floor(now() / 1000);
      const file: SlackFile = {
        id,
        created,
        timestamp: created,
        name,
        title: name,
        ...fileKind(name, type),
        user,
        size,
        mode,
        is_external: mode === 'external',
        is_public: false,
        channels: [],
      };
      put(file);
      for (const old of records.trim('slack.file', maxFiles)) {
        records.contents.delete(`slack:${old}`);
      }
      return file;
    },
    find: (id) => records.get<SlackFile>('slack.file', id),
    update(file, patch) {
      const updated = { ...file, ...patch };
      put(updated);
      return updated;
    },
    copy: put,
    remove(file) {
      records.delete('slack.file', file.id);
      records.contents.delete(`slack:${file.id}`);
    },
    read: (file) => records.contents.read(`slack:${file.id}`),
    toWire({ submitted: _submitted, ...file }) {
      const url = `${baseUrl()}/files/${file.id}`;
      const name = encodeURIComponent(file.name);
      return {
        ...file,
        url_private: `${url}/${name}`,
        url_private_download: `${url}/download/${name}`,
        permalink: `${url}/page`,
        file_access: 'visible',
      };
    },
  };
}

type FileKind = [mimetype: string, filetype: string, prettyType: string];

const kindsByExtension: Record<string, FileKind> = {
  csv: ['text/csv', 'csv', 'CSV'],
  docx: [
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    'docx',
    'Word Document',
  ],
  gif: ['image/gif', 'gif', 'GIF'],
  htm: ['text/html', 'html', 'HTML'],
  html: ['text/html', 'html', 'HTML'],
  jpeg: ['image/jpeg', 'jpg', 'JPEG'],
  jpg: ['image/jpeg', 'jpg', 'JPEG'],
  json: ['application/json', 'json', 'JSON'],
  md: ['text/markdown', 'markdown', 'Markdown'],
  pdf: ['application/pdf', 'pdf', 'PDF'],
  png: ['image/png', 'png', 'PNG'],
  txt: ['text/plain', 'text', 'Plain Text'],
  zip: ['application/zip', 'zip', 'Zip'],
};
const unknownKind: FileKind = ['application/octet-stream', 'binary', 'Binary'];

/** Slack's file type for a file name; an explicit MIME type takes precedence. */
function fileKind(name: string, type?: string) {
  const [mimetype, filetype, pretty_type] = kindsByExtension[extension(name)] ?? unknownKind;
  return { mimetype: type || mimetype, filetype, pretty_type };
}

/** The lower-case extension of a file name, without the dot; empty if there is none. */
export function extension(name: string): string {
  return /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
}

/** Files that the app has announced but not yet shared. */
export interface Uploads {
  /** Returns a URL for a file's bytes, valid for 10 minutes. */
  announce(upload: Pick<Announced, 'name' | 'files' | 'by'>): Announced;
  /** The upload that belongs to a URL's ticket. */
  byTicket(ticket: string): Announced | undefined;
  /** The upload with this file id, which is then removed. */
  claim(id: string): SlackFile | undefined;
}

interface Announced {
  /** The file's id once its bytes have arrived. */
  id: string;
  ticket: string;
  name: string;
  /** Where it is stored. */
  files: Files;
  /** The user id of the bot. */
  by: string;
  expires: number;
  stored?: SlackFile;
}

const uploadLifetimeMs = 600_000;
const maxUploads = 100;

/** Uploads kept in memory, the last hundred. */
export function createUploads(now: () => number): Uploads {
  const uploads = createLru<Announced>(maxUploads);
  return {
    announce(announced) {
      const expires = now() + uploadLifetimeMs;
      const upload = { ...announced, id: newId('F'), ticket: newSecret(16), expires };
      uploads.set(upload.id, upload);
      return upload;
    },
    byTicket: (ticket) =>
      [...uploads.values()].find((upload) => upload.ticket === ticket && upload.expires > now()),
    claim(id) {
      const stored = uploads.get(id)?.stored;
      if (stored) uploads.delete(id);
      return stored;
    },
  };
}
