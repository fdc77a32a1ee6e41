interface FileKind {
  mimetype: string;
  filetype: string;
  pretty_type: string;
}

const kindsByExtension: Record<string, [mimetype: string, filetype: string, prettyType: string]> = {
  csv: ['text/csv', 'csv', 'CSV'],
  docx: [
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    'docx',
    'Word Document',
  ],
  gif: ['image/gif', 'gif', 'GIF'],
  htm: ['text/html', 'html', 'HTML'],
  html: ['text/html', 'html', 'HTML'],
  jpeg: ['image/jpeg', 'jpg', 'JPEG'],
  jpg: ['image/jpeg', 'jpg', 'JPEG'],
  json: ['application/json', 'json', 'JSON'],
  md: ['text/markdown', 'markdown', 'Markdown'],
  pdf: ['application/pdf', 'pdf', 'PDF'],
  png: ['image/png', 'png', 'PNG'],
  txt: ['text/plain', 'text', 'Plain Text'],
  zip: ['application/zip', 'zip', 'Zip'],
};

/** Slack's file type for a file name; an explicit MIME type takes precedence. */
export function fileKind(name: string, type?: string): FileKind {
  const known = kindsByExtension[extension(name)];
  const [mimetype, filetype, pretty_type] = known ?? [
    'application/octet-stream',
    'binary',
    'Binary',
  ];
  return { mimetype: type || mimetype, filetype, pretty_type };
}

/** The lower-case extension of a file name, without the dot; empty if there is none. */
export function extension(name: string): string {
  return /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
}
