import type { DataSource } from '../api/data-source.ts';
import { type Command, type CommandContext, defineAction, type IncomingFile } from './command.ts';
import { escapeMarkdown, renderSize, renderSource } from './render-source.ts';
import { type SourceService, watchSource } from './watch-source.ts';

/** Listing more than this at once tells a reader nothing. */
const mostListed = 40;

/** `/source`: what the chatbot knows. */
export function createSourceCommand(service: SourceService): Command {
  return {
    name: 'source',
    description: 'What the chatbot knows: upload a file, add a web page, list sources',
    actions: {
      upload: defineAction({
        description: 'Teach the chatbot a file',
        shownTo: 'channel',
        options: {
          file: { type: 'file', description: 'Text, Markdown or HTML', required: true },
        },
        run: (context, { file }) => upload(service, context, file),
      }),
      url: defineAction({
        description: 'Teach the chatbot a web page',
        shownTo: 'channel',
        options: {
          url: {
            type: 'text',
            description: 'The page’s address, starting with https://',
            required: true,
            maxLength: 2048,
          },
        },
        run: (context, { url }) => addUrl(service, context, url),
      }),
      list: defineAction({
        description: 'List what the chatbot knows',
        shownTo: 'private',
        options: {},
        run: (context) => list(service, context),
      }),
    },
  };
}

async function* upload(service: SourceService, context: CommandContext, file: IncomingFile) {
  const name = escapeMarkdown(file.name);
  yield `⏳ ${context.requester.name} is uploading **${name}** (${renderSize(file.size)}) …`;
  const chatbot = await service.chatbotFor(context);
  const { source, duplicate } = await service.client.uploadDataSource(
    chatbot,
    {
      name: file.name,
      size: file.size,
      content: file.read(context.signal),
      ...(file.contentType && { contentType: file.contentType }),
    },
    context.signal,
  );
  if (duplicate) yield `**${name}** is already a source: ${renderSource(source)}`;
  else yield* watchSource(service, chatbot, source, context);
}

async function* addUrl(service: SourceService, context: CommandContext, url: string) {
  const address = parseWebAddress(url);
  if (!address) {
    yield `“${escapeMarkdown(url)}” is not a web address. Give one that starts with https://, such as https://example.com/handbook.`;
    return;
  }
  yield `⏳ ${context.requester.name} is adding ${address} …`;
  const chatbot = await service.chatbotFor(context);
  const { source, duplicate } = await service.client.addUrlSource(
    chatbot,
    { url: address },
    context.signal,
  );
  if (duplicate) yield `${address} is already a source: ${renderSource(source)}`;
  else yield* watchSource(service, chatbot, source, context);
}

async function* list(service: SourceService, context: CommandContext) {
  const chatbot = await service.chatbotFor(context);
  const sources = await service.client.listDataSources(chatbot, context.signal);
  yield sources.length === 0
    ? 'The chatbot has no sources yet. Add one with `/source upload` or `/source url`.'
    : renderList(sources);
}

function renderList(sources: DataSource[]): string {
  const newest = sources.toSorted((a, b) => b.created_at.localeCompare(a.created_at));
  const lines = newest.slice(0, mostListed).map((source) => `- ${renderSource(source)}`);
  const rest = sources.length - lines.length;
  const heading = sources.length === 1 ? '**1 source**' : `**${sources.length} sources**`;
  return [heading, ...lines, ...(rest > 0 ? [`… and ${rest} older`] : [])].join('\n');
}

function parseWebAddress(text: string): string | undefined {
  const url = URL.parse(text.trim());
  return url && ['http:', 'https:'].includes(url.protocol) ? url.href : undefined;
}
