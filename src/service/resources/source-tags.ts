import type { z } from 'zod';
import type { SourceTag } from '../../shared/api/data-source.ts';
import { mapEach } from '../../shared/primitives/iterables.ts';
import { type Access, createAccess, requireRoom, requireSourcesOf } from '../access.ts';
import type { Handlers } from '../http/handlers.ts';
import { createUuid, toTimestamp } from '../identifiers.ts';
import type { Quota } from '../quota.ts';
import type { Store } from '../store/store.ts';
import type { TagRecord } from '../store/tag-store.ts';

type TagAnswer = z.input<typeof SourceTag>;

const maxTags = 1000;

/** The rules of source tags. Each handler throws HttpError when it can't do its work. */
export function createSourceTags(parts: {
  store: Store;
  access: Access;
  quota: Pick<Quota, 'within'>;
  now: () => number;
}) {
  const { store, access, quota, now } = parts;

  return {
    createSourceTag: ({ owner, params: { uuid: chatbot }, body: request }) =>
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

    async listSourceTags({ owner, params: { uuid: chatbot } }) {
      await access.chatbot(owner, chatbot);
      return mapEach(store.tags.each(chatbot), toTag);
    },

    updateSourceTag: ({ owner, params: { uuid }, body: request }) =>
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
    async deleteSourceTag({ owner, params: { uuid } }) {
      await store.transaction(async (tx) => {
        await createAccess(tx).tag(owner, uuid);
        await tx.tags.delete(uuid);
      });
      return { success: true };
    },
  } satisfies Partial<Handlers>;
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
