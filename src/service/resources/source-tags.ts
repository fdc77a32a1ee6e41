import type { z } from 'zod';
import type { SourceTag, SourceTagCreate, SourceTagUpdate } from '../../shared/api/data-source.ts';
import { mapEach } from '../../shared/primitives/iterables.ts';
import { type Access, createAccess, requireRoom, requireSourcesOf } from '../access.ts';
import { createUuid, toTimestamp } from '../identifiers.ts';
import type { Quota } from '../quota.ts';
import type { Store } from '../store/store.ts';
import type { TagRecord } from '../store/tag-store.ts';

type TagAnswer = z.input<typeof SourceTag>;

const maxTags = 1000;

export type SourceTags = ReturnType<typeof createSourceTags>;

/** The rules of source tags. Each method throws HttpError when it can't do its work. */
export function createSourceTags(parts: {
  store: Store;
  access: Access;
  quota: Pick<Quota, 'within'>;
  now: () => number;
}) {
  const { store, access, quota, now } = parts;

  return {
    create: (owner: string, chatbot: string, request: SourceTagCreate) =>
      quota.within(owner, async (tx) => {
        await createAccess(tx).chatbot(owner, chatbot);
        requireRoom('tag', (await tx.tags.listUuids(chatbot)).length, maxTags);
        const sources = [...new Set(request.data_source_uuids)];
        await requireSourcesOf(tx, chatbot, sources);
        const tag: TagRecord = {
          uuid: createUuid(),
          chatbot,
          name: request.name,
          color: request.color,
          sources,
          createdMs: now(),
          modifiedMs: now(),
        };
        await tx.tags.insert(tag);
        return toTag(tag);
      }),

    async list(owner: string, chatbot: string) {
      await access.chatbot(owner, chatbot);
      return mapEach(store.tags.each(chatbot), toTag);
    },

    update: (owner: string, uuid: string, request: z.output<typeof SourceTagUpdate>) =>
      quota.within(owner, async (tx) => {
        const tag = await createAccess(tx).tag(owner, uuid);
        const { data_source_uuids: uuids } = request;
        const sources = uuids ? [...new Set(uuids)] : tag.sources;
        if (uuids) await requireSourcesOf(tx, tag.chatbot, sources);
        const changed: TagRecord = {
          ...tag,
          name: request.name ?? tag.name,
          color: request.color ?? tag.color,
          sources,
          modifiedMs: now(),
        };
        await tx.tags.update(tag, changed);
        return toTag(changed);
      }),

    /** Its sources stay. */
    async delete(owner: string, uuid: string) {
      await store.transaction(async (tx) => {
        await createAccess(tx).tag(owner, uuid);
        await tx.tags.delete(uuid);
      });
    },
  };
}

function toTag(tag: TagRecord): TagAnswer {
  return {
    uuid: tag.uuid,
    name: tag.name,
    color: tag.color,
    data_source_uuids: tag.sources,
    created_at: toTimestamp(tag.createdMs),
    modified_at: toTimestamp(tag.modifiedMs),
  };
}
