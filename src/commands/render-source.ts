import { type DataSource, sourceFailure, sourceProgress } from '../api/data-source.ts';

/** A source on one line: its name, how it stands, and how much it holds. */
export function renderSource(source: DataSource): string {
  const name = `**${escapeMarkdown(source.title || source.file_name || source.uuid)}**`;
  switch (sourceProgress(source.status)) {
    case 'ready':
      return `✅ ${name} is ready: ${source.tokens.toLocaleString('en')} tokens, ${renderSize(source.file_size)}`;
    case 'failed':
      return `❌ ${name} could not be taken in: ${renderFailure(source)}`;
    case 'waiting':
      return `⏳ ${name}: ${renderStage(source.status)} …`;
  }
}

/** What a status under way means to a reader. The set is open: an unknown one shows as it is. */
function renderStage(status: string): string {
  const stages: Record<string, string> = {
    await: 'waiting its turn',
    assigned: 'waiting its turn',
    queued: 'waiting its turn',
    pending: 'waiting its turn',
    downloading: 'downloading',
    extracting: 'reading',
    chunking: 'cutting into passages',
    embedding: 'indexing',
    running: 'finishing',
  };
  return stages[status] ?? escapeMarkdown(status);
}

function renderFailure(source: DataSource): string {
  const reasons: Record<string, string> = {
    'error:storage': 'the storage of your plan is used up',
    'error:token': 'the tokens of your plan are used up',
  };
  return sourceFailure(source) || reasons[source.status] || `the service says “${source.status}”`;
}

/** Bytes as people read them: `640 B`, `12 kB`, `3.4 MB`. */
export function renderSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${Math.round(bytes / 1000)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** Text that Markdown shows as it is: names and titles come from anyone. */
export function escapeMarkdown(text: string): string {
  return text.replaceAll(/[\\`*_~[\]|]/g, String.raw`\$&`).replaceAll(/\s+/g, ' ');
}
