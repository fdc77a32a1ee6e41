import { extname } from 'node:path';

/** What files of plain text are called, besides the document types of their own. */
const textExtensions = new Set(
  `
  txt text md markdown mdx mkd rst adoc asciidoc org tex ltx bib wiki textile
  log csv tsv tab json jsonl ndjson geojson ipynb yaml yml toml ini cfg conf config env properties
  html htm xhtml xht xml xsl xsd svg rss atom rtf doc eml mbox ics vcf srt vtt sub lrc po pot tmx
  xlf diff patch css scss sass less vue svelte js mjs cjs jsx ts mts cts tsx py pyi rb php java kt kts
  groovy gradle scala clj go rs c h cc cpp cxx hpp hh cs fs vb swift m mm dart lua pl pm r jl ex exs erl
  hs elm ml lisp el scm sql graphql gql proto sh bash zsh fish ps1 bat cmd tf hcl nix cmake mk
  dockerfile asm f90 pas tcl vim
`
    .trim()
    .split(/\s+/),
);

/** A version or date at the end of a name ("Minutes 12.05.2026") says nothing about its type. */
const extensionPattern = /^\.[a-z][a-z\d_-]*$/iu;

/** Whether text may be called that: by an extension that is known to name text, or without any. */
export function isTextName(fileName: string): boolean {
  const extension = extname(fileName.trim());
  return !extensionPattern.test(extension) || textExtensions.has(extension.slice(1).toLowerCase());
}
