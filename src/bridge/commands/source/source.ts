import type { Command } from '../command.ts';
import { qa, upload, url } from './adding.ts';
import { deleteSources, refresh, rename, retry, tag } from './changing.ts';
import { list, show } from './reading.ts';

/** `/source`: what the chatbot knows. */
export const source: Command = {
  name: 'source',
  description: 'source',
  actions: {
    upload,
    url,
    qa,
    list,
    show,
    rename,
    delete: deleteSources,
    refresh,
    retry,
    tag,
  },
};
