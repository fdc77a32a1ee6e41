import { z } from 'zod';
import { LooseText } from '../../shared/api/fields.ts';
import { Message } from '../../shared/api/message.ts';
import { checkAnswer, parseJson, toRequest } from './call.ts';
import { readElements } from './json-elements.ts';
import type { Transport } from './transport.ts';

const Listed = Message.extend({ created_at: LooseText, modified_at: LooseText });
const Dated = z.looseObject({ created_at: LooseText });

/**
 * The newest message of a session; undefined if it has none. Asks for one message. A service that
 * ignores this sends them all, in any order: they are read as they arrive, and one is kept.
 * @throws {ChatbotError}
 */
export function readNewestMessage(
  transport: Transport,
  session: string,
  signal?: AbortSignal,
): Promise<z.output<typeof Listed> | undefined> {
  const query = { limit: '1', order: 'desc' } as const;
  const request = toRequest('listMessages', { params: { uuid: session }, query, signal });
  return transport.read(request, async (body) => {
    let newest: unknown;
    let newestMs = -Infinity;
    for await (const element of readElements(body)) {
      const message = parseJson('listMessages', element);
      const createdMs = Date.parse(checkAnswer('listMessages', Dated, message).created_at);
      // Without a time of its own, or at the same time, the later one in the list is newer.
      if (createdMs < newestMs) continue;
      newest = message;
      if (!Number.isNaN(createdMs)) newestMs = createdMs;
    }
    return newest === undefined ? undefined : checkAnswer('listMessages', Listed, newest);
  });
}
