/** HTML that is safe to put into a page. */
export interface Html {
  text: string;
}

/** Builds HTML from a template. Values are escaped unless they are already Html. */
export function html(strings: TemplateStringsArray, ...values: (string | Html)[]): Html {
  const texts = values.map((value) => (typeof value === 'string' ? escape(value) : value.text));
  return { text: String.raw({ raw: strings }, ...texts) };
}

export function join(parts: readonly Html[]): Html {
  return { text: parts.map(({ text }) => text).join('') };
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
