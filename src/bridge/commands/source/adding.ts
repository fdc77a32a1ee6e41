import { QaSourceCreate } from '../../../shared/api/data-source.ts';
import { type ActionContext, defineAction } from '../command.ts';
import { escapeMarkdown } from '../markdown.ts';
import type { IncomingFile } from '../option.ts';
import { addSources, type NewSource } from './add-sources.ts';

/** More URLs at once would be hard to follow. */
const maxUrls = 20;

const link = { type: 'text', description: 'source link', maxLength: 2048 } as const;

export const upload = defineAction({
  description: 'source upload',
  shortcut: 'source upload shortcut',
  shownTo: 'channel',
  managersOnly: true,
  options: {
    file: {
      type: 'file',
      many: true,
      description: 'source file',
      required: true,
    },
    link,
  },
  run: (context, { file, link }) =>
    addSources(
      context,
      file.map((each) => fileSource(context, each, link)),
    ),
});

export const url = defineAction({
  description: 'source url',
  shownTo: 'channel',
  managersOnly: true,
  options: {
    url: {
      type: 'text',
      description: 'source urls',
      required: true,
      maxLength: 6000,
      multiline: true,
    },
  },
  async *run(context, { url }) {
    const urls = [...new Set(url.split(/[\s,]+/).filter((each) => each !== ''))];
    if (urls.length > maxUrls) yield context.texts.source.tooManyUrls(urls.length, maxUrls);
    else
      yield* addSources(
        context,
        urls.map((each) => urlSource(context, each)),
      );
  },
});

export const qa = defineAction({
  description: 'source qa',
  shownTo: 'channel',
  managersOnly: true,
  options: {
    question: {
      type: 'text',
      description: 'source question',
      required: true,
      maxLength: QaSourceCreate.shape.question.maxLength ?? 2000,
    },
    answer: {
      type: 'text',
      description: 'source answer',
      required: true,
      maxLength: 6000,
      multiline: true,
    },
    link,
  },
  run: (context, { question, answer, link }) =>
    addSources(context, [
      {
        name: `**${escapeMarkdown(question)}**`,
        add: (chatbot) =>
          context.client.addQaSource(
            chatbot,
            { question, answer, ...(link && { reference_source_link: link }) },
            context.signal,
          ),
      },
    ]),
});

function fileSource(
  { client, fileLimits, formats, texts, signal }: ActionContext,
  file: IncomingFile,
  link: string | undefined,
): NewSource {
  const { name, size, contentType } = file;

  async function upload(chatbot: string, sent: (bytes: number) => void) {
    try {
      return await client.uploadDataSource(
        chatbot,
        {
          name,
          size,
          content: countBytes(file.read(signal), sent),
          ...(contentType && { contentType }),
          ...(link && { referenceSourceLink: link }),
        },
        signal,
      );
    } catch (error) {
      fileLimits.failed(size, error);
      throw error;
    }
  }

  return {
    name: `**${escapeMarkdown(name)}** (${formats.size(size)})`,
    size,
    add: (chatbot, sent) =>
      fileLimits.problemWith(size, texts, formats.size) ?? upload(chatbot, sent),
  };
}

async function* countBytes(
  content: AsyncIterable<Uint8Array>,
  sent: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const piece of content) {
    yield piece;
    bytes += piece.byteLength;
    sent(bytes);
  }
}

function urlSource({ client, texts, signal }: ActionContext, typed: string): NewSource {
  const url = URL.parse(typed);
  const isWeb = url && ['http:', 'https:'].includes(url.protocol);
  if (!isWeb) {
    return {
      name: `**${escapeMarkdown(typed)}**`,
      add: () => texts.source.noAddress,
    };
  }
  return {
    name: url.href,
    add: (chatbot) => client.addUrlSource(chatbot, { url: url.href }, signal),
  };
}
