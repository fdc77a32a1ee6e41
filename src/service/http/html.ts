/** HTML that is safe to put into a page. */
export interface Html {
  text: string;
}

/** HTML from a template: what is put in is escaped, unless it is HTML already. */
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
