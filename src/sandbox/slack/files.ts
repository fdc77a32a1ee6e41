import type { Records } from '../records.ts';
import { newId } from './identifiers.ts';
import { fileKind } from './file-kinds.ts';

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
  mode: 'hosted';
  is_external: false;
  is_public: boolean;
  /** The channels the file is shared in. */
  channels: string[];
  /** Whether the app received it in a form, which lets it read the file anywhere. */
  submitted?: boolean;
}

/** A file to store. */
export interface Upload {
  /** The file's id, if it has one already. */
  id?: string;
  name: string;
  /** MIME type; guessed from the name if omitted. */
  type?: string;
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
  read(file: SlackFile): ReadableStream<Uint8Array> | undefined;
  /** The file as Slack sends it, with its URLs. */
  toWire(file: SlackFile): Partial<SlackFile>;
}

const maxFiles = 5_000;

/** Files whose URLs start with `baseUrl`. */
export function createFiles(records: Records, baseUrl: () => string, now: () => number): Files {
  const put = (file: SlackFile) => records.put('slack.file', file.id, file);
  return {
    async store(user, { id = newId('F'), name, type, bytes }) {
      const size = await records.contents.write(
        `slack:${id}`,
        bytes instanceof Uint8Array ? [bytes] : bytes,
      );
      const created = Math.floor(now() / 1000);
      const kind = fileKind(name, type);
      const fixed = { mode: 'hosted', is_external: false, is_public: false, channels: [] } as const;
      const about = { created, timestamp: created, name, title: name, user, size, ...kind };
      const file: SlackFile = { id, ...about, ...fixed, channels: [] };
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
