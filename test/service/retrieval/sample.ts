import { type Draft, toDocument } from '../../../src/service/ingestion/document.ts';
import { fromMarkdown } from '../../../src/service/ingestion/kinds/markdown.ts';
import { toPassages } from '../../../src/service/ingestion/passages.ts';
import { openStore, type Store } from '../../../src/service/store/store.ts';
import { addSource } from '../../fixtures/add-source.ts';

/** A store that holds documents of the chatbot `bot`. */
export async function createFilledStore(documents: Record<string, string>): Promise<Store> {
  const store = await openStore(':memory:');
  await addDocuments(store, documents);
  return store;
}

/** Adds Markdown documents to the chatbot `bot`, each a source named by its key. */
export async function addDocuments(store: Store, documents: Record<string, string>): Promise<void> {
  for (const [uuid, markdown] of Object.entries(documents)) {
    const draft: Draft = fromMarkdown(markdown);
    const source = { uuid, title: draft.title, file_name: `${uuid}.md`, type: 'file' };
    await addSource(store, 'bot', source, toPassages(toDocument(draft)));
  }
}

/** Numbers from 0 to below 1, the same for the same seed. */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

export const guideText = `# Causeway

Causeway brings a chatbot into Slack and Discord. It needs no account.

## Start

\`\`\`sh
npm ci
npm start
\`\`\`

Open the page it prints.

## Adding a source

You teach the chatbot by a command:

1. Type \`/source upload\` and pick a file.
2. For a web page, type \`/source url\` and its address.
3. Wait until the message says that it is ready.

Sources can be removed at any time.

## Configuration

| Variable | Default | Meaning |
| --- | --- | --- |
| \`PORT\` | 3000 | the port it listens on |
| \`DATA_DIR\` | data | where the database lies |
`;

export const historyText = `# The Normans

The Normans gave their name to Normandy, a region in France. They were descended from Norse raiders.
Their leader was Rollo. He swore fealty to King Charles III of West Francia in 911.

## Conquests

In 1066 Duke William II of Normandy conquered England. He died in 1087.
Robert Guiscard captured Sicily from the Muslims.
`;
