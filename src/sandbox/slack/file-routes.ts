import { Readable } from 'node:stream';
import type { ReadableStream as WebStream } from 'node:stream/web';
import { Busboy } from '@fastify/busboy';
import { type Context, Hono } from 'hono';
import { ContentTooLarge } from '../contents.ts';
import type { SlackFile } from './files.ts';
import { newSecret } from './identifiers.ts';
import type { AppParts, Parts } from './parts.ts';
import { SlackError } from './slack-error.ts';
import { seesFile } from './web-api/files.ts';

const originHost = 'files-origin.slack.com';

/** The routes for downloading and uploading files. */
export function createFileRoutes(app: AppParts): Hono {
  const { tokens, uploads, switches, workspaces } = app;
  const routes = new Hono();
  const signature = newSecret(24);

  function download(context: Context): Response {
    const readable = workspacesOf(context.req.header('authorization'));
    const workspace = readable.find((each) => fileIn(each, context)) ?? readable[0];
    if (!workspace) return context.html(loginPage);
    const elsewhere = redirect(context, workspace);
    return elsewhere ? context.redirect(elsewhere) : serve(context, workspace);
  }

  /** The workspaces whose files a token can read. */
  function workspacesOf(authorization = ''): Parts[] {
    try {
      const caller = tokens.check(authorization.replace(/^Bearer /, ''));
      if (caller.kind !== 'bot' || !tokens.scopes(caller).includes('files:read')) return [];
      const { teams } = caller.installation;
      return workspaces().filter(({ directory }) => teams.includes(directory.team.id));
    } catch (error) {
      if (error instanceof SlackError) return [];
      throw error;
    }
  }

  function redirect({ req }: Context, { directory }: Parts): string | undefined {
    const { pathname } = new URL(req.url);
    switch (switches.fileHost) {
      case 'direct':
        return undefined;
      case 'origin':
        if (req.header('host') === originHost) return undefined;
        return `https://${originHost}${pathname}`;
      case 'edge': {
        const presigned = pathname.replace('/files/', '/files/presigned/');
        return `https://files.slack-edge.com${presigned}?signature=${signature}`;
      }
      case 'sign-in':
        return `https://${directory.team.domain}.slack.com/?redir=${encodeURIComponent(pathname)}`;
      case 'elsewhere':
        return `https://files.example${pathname}`;
    }
  }

  function serve(context: Context, { directory, files }: Parts): Response {
    const file = files.find(context.req.param('id') ?? '');
    const content = file && seesFile(directory, file) ? files.read(file) : undefined;
    if (!file || !content) return context.html(loginPage, 404);
    return new Response(content, { headers: headersOf(file) });
  }

  // As in S3, a request has one kind of authorization.
  routes.get('/presigned/:id/*', (context) => {
    const isSigned = context.req.query('signature') === signature;
    if (!isSigned) return context.text('AccessDenied', 403);
    if (context.req.header('authorization')) return context.text('InvalidArgument', 400);
    const workspace = workspaces().find((each) => fileIn(each, context));
    return workspace ? serve(context, workspace) : context.html(loginPage, 404);
  });
  routes.get('/:id/download/:name', download);
  routes.get('/:id/:name', download);

  routes.post('/upload/:ticket', async (context) => {
    const upload = uploads.byTicket(context.req.param('ticket'));
    const { body } = context.req.raw;
    if (!upload || upload.stored || !body) return context.text('Upload not found', 404);
    const incoming = Readable.fromWeb(body as WebStream<Uint8Array>);
    const type = context.req.header('content-type') ?? '';
    try {
      const bytes = type.startsWith('multipart/form-data') ? firstFile(incoming, type) : incoming;
      const { id, name } = upload;
      const stored = await upload.files.store(upload.by, { id, name, bytes });
      upload.stored = stored;
      return context.text(`OK - ${stored.size}`);
    } catch (error) {
      if (error instanceof ContentTooLarge) return context.text(error.message, 413);
      if (error instanceof MalformedForm) return context.text(error.message, 400);
      throw error;
    }
  });
  return routes;
}

function fileIn({ files }: Parts, context: Context): SlackFile | undefined {
  return files.find(context.req.param('id') ?? '');
}

/** What Slack returns, with status 200, to a download without a valid token. */
const loginPage = '<!DOCTYPE html><html><head><title>Sign in | Slack</title></head></html>';

function headersOf(file: SlackFile): Record<string, string> {
  return {
    'content-type': file.mimetype,
    'content-length': String(file.size),
    'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(file.name)}`,
    'x-content-type-options': 'nosniff',
  };
}

class MalformedForm extends Error {
  override readonly name = 'MalformedForm';
}

/** The bytes of a form's first file, as they arrive. */
async function* firstFile(incoming: Readable, type: string): AsyncGenerator<Uint8Array> {
  const parser = new Busboy({ headers: { 'content-type': type }, limits: { files: 1 } });
  const found = new Promise<Readable>((resolve, reject) => {
    parser.once('file', (_field, file) => resolve(file));
    parser.once('finish', () => reject(new MalformedForm('The form has no file.')));
    parser.once('error', () => reject(new MalformedForm('The form cannot be read.')));
  });
  incoming.pipe(parser);
  yield* await found;
}
