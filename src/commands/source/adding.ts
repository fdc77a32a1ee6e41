import { QaSourceCreate } from '../../api/data-source.ts';
import { type ActionContext, defineAction } from '../command.ts';
import type { CommandTools } from '../command-tools.ts';
import { escapeMarkdown } from '../markdown.ts';
import type { IncomingFile } from '../option.ts';
import { english } from '../../messages/messages.ts';
import { addSources, type NewSource } from './add-sources.ts';

const says = english.descriptions;

/** More pages at once would hide one another. */
const mostUrls = 20;

const link = { type: 'text', description: says['source link'], maxLength: 2048 } as const;

/** The actions of `/source` that add something. */
export function addingActions(tools: CommandTools) {
  return {
    upload: defineAction({
      description: says['source upload'],
      shortcut: says['source upload shortcut'],
      shownTo: 'channel',
      managersOnly: true,
      options: {
        file: {
          type: 'file',
          many: true,
          description: says['source file'],
          required: true,
          maxBytes: tools.files.maxBytes,
        },
        link,
      },
      run: (context, { file, link }) =>
        addSources(
          tools,
          context,
          file.map((each) => fileSource(tools, context, each, link)),
        ),
    }),
    url: defineAction({
      description: says['source url'],
      shownTo: 'channel',
      managersOnly: true,
      options: {
        url: {
          type: 'text',
          description: says['source urls'],
          required: true,
          maxLength: 6000,
          multiline: true,
        },
      },
      async *run(context, { url }) {
        const urls = [...new Set(url.split(/[\s,]+/).filter((each) => each !== ''))];
        if (urls.length > mostUrls) yield context.texts.source.tooManyUrls(urls.length, mostUrls);
        else
          yield* addSources(
            tools,
            context,
            urls.map((each) => urlSource(tools, context, each)),
          );
      },
    }),
    qa: defineAction({
      description: says['source qa'],
      shownTo: 'channel',
      managersOnly: true,
      options: {
        question: {
          type: 'text',
          description: says['source question'],
          required: true,
          maxLength: QaSourceCreate.shape.question.maxLength ?? 2000,
        },
        answer: {
          type: 'text',
          description: says['source answer'],
          required: true,
          maxLength: 6000,
          multiline: true,
        },
        link,
      },
      run: (context, { question, answer, link }) =>
        addSources(tools, context, [
          {
            name: `**${escapeMarkdown(question)}**`,
            add: (chatbot) =>
              tools.client.addQaSource(
                chatbot,
                { question, answer, ...(link && { reference_source_link: link }) },
                context.signal,
              ),
          },
        ]),
    }),
  };
}

function fileSource(
  { client, files }: CommandTools,
  { formats, texts, signal }: ActionContext,
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
      files.failed(size, error);
      throw error;
    }
  }

  return {
    name: `**${escapeMarkdown(name)}** (${formats.size(size)})`,
    size,
    add: (chatbot, sent) => files.problemWith(size, texts, formats.size) ?? upload(chatbot, sent),
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

function urlSource({ client }: CommandTools, context: ActionContext, typed: string): NewSource {
  const url = URL.parse(typed);
  const isWeb = url && ['http:', 'https:'].includes(url.protocol);
  if (!isWeb) {
    return {
      name: `**${escapeMarkdown(typed)}**`,
      add: () => context.texts.source.noAddress,
    };
  }
  return {
    name: url.href,
    add: (chatbot) => client.addUrlSource(chatbot, { url: url.href }, context.signal),
  };
}
