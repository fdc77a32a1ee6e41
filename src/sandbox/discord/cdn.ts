import { Hono } from 'hono';
import type { Attachments } from './attachments.ts';

/** Serves attachments by their signed URLs. A served page can run no scripts. */
export function createCdn(attachments: Attachments): Hono {
  const cdn = new Hono();
  cdn.get('/attachments/:channel/:id/:name', (context) => {
    const { channel, id, name } = context.req.param();
    const query = new URL(context.req.url).searchParams;
    const opened = attachments.open({ channel, id, name }, query);
    if (!opened) return context.text('This content is no longer available.', 404);
    const { attachment, stream } = opened;
    return new Response(stream, {
      headers: {
        'content-type': attachment.contentType ?? 'application/octet-stream',
        'content-length': String(attachment.size),
        'content-disposition': `attachment; filename="${attachment.filename}"`,
        'content-security-policy': "default-src 'none'; sandbox",
        'x-content-type-options': 'nosniff',
      },
    });
  });
  return cdn;
}
