import type { Steps } from '../../primitives/in-steps.ts';
import { documentationStyle } from './documentation-style.ts';
import { type Html, html, join } from './html.ts';
import type { OpenApi, OpenApiOperation } from './openapi.ts';
import { describeType, listFields, type SchemaField, toSchemaName } from './schema-fields.ts';
import type { JsonSchema } from './schemas.ts';

interface Described extends OpenApiOperation {
  method: string;
  path: string;
}

/** The operations of a resource. */
interface Group {
  name: string;
  operations: Described[];
}

type Schemas = Record<string, JsonSchema>;

/** The API description as a self-contained page; a section or object per step. */
export function* renderDocumentation(openApi: OpenApi): Steps<string> {
  const { info, tags, components } = openApi;
  const described = listOperations(openApi);
  const groups = tags.map(({ name }) => ({
    name,
    operations: described.filter((operation) => operation.tags.includes(name)),
  }));
  const answered = listAnswered(described, components.schemas);
  const sections: Html[] = [];
  for (const group of groups) {
    sections.push(renderSection(group, components.schemas));
    yield;
  }
  const objects: Html[] = [];
  for (const name of answered) {
    objects.push(renderObject(name, components.schemas));
    yield;
  }

  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${info.title}: API</title>
        ${styleElement}
      </head>
      <body>
        <nav aria-label="Operations">
          ${join(groups.map(renderNavigation))}
          <h2><a href="#objects">Objects</a></h2>
          <ul>
            ${join(answered.map((name) => html`<li>${renderSchemaLink(name)}</li>`))}
          </ul>
        </nav>
        <main>
          <h1>${info.title} <small>API v${info.version}</small></h1>
          ${join(info.description.split('\n\n').map(renderParagraph))}
          <p>The same as <a href="/api/v1/openapi.json">OpenAPI 3.1</a>.</p>
          ${join(sections)}
          <section>
            <h2 id="objects">Objects</h2>
            ${join(objects)}
          </section>
        </main>
      </body>
    </html>`.text;
}

/** It contains only the style, because the page's policy allows it by its hash. */
const styleElement: Html = { text: `<style>${documentationStyle}</style>` };

function listOperations({ paths }: OpenApi): Described[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
    })),
  );
}

/** The objects in responses, in the order in which they first appear. */
function listAnswered(operations: Described[], schemas: Schemas): string[] {
  const names = operations.flatMap(({ responses }) => {
    const { schema } = Object.values(responses['200']?.content ?? {})[0] ?? {};
    return schema ? [toSchemaName(schema)] : [];
  });
  return [...new Set([...names, 'Error'])].filter((name) => schemas[name] !== undefined);
}

function renderSection({ name, operations }: Group, schemas: Schemas): Html {
  return html`<section>
    <h2 id="${toId(name)}">${name}</h2>
    ${join(operations.map((each) => renderOperation(each, schemas)))}
  </section>`;
}

function renderNavigation({ name, operations }: Group): Html {
  return html`<h2><a href="#${toId(name)}">${name}</a></h2>
    <ul>
      ${join(
        operations.map(
          ({ operationId, summary }) => html`<li><a href="#${operationId}">${summary}</a></li>`,
        ),
      )}
    </ul>`;
}

function renderOperation(operation: Described, schemas: Schemas): Html {
  const { operationId, summary, method, path, parameters, requestBody, responses } = operation;
  const inQuery = parameters.filter((parameter) => parameter.in === 'query');
  return html`<article id="${operationId}">
    <h3>${summary}</h3>
    <p class="call">
      <b class="${method.toLowerCase()}">${method}</b> <code>${renderPath(path)}</code>
    </p>
    ${renderFields(
      'Query',
      inQuery.map(({ name, required, schema }) => ({ name, required, schema })),
      schemas,
    )}
    ${join(
      Object.entries(requestBody?.content ?? {}).map(([type, { schema }]) =>
        renderFields(
          type === 'application/json' ? 'Body' : 'Form',
          listFields(schema, schemas),
          schemas,
        ),
      ),
    )}
    <p>Answers with ${renderAnswer(operation)}</p>
    <details>
      <summary>Errors</summary>
      <dl>
        ${join(
          Object.entries(responses)
            .filter(([status]) => status !== '200')
            .map(
              ([status, { description }]) =>
                html`<div>
                  <dt>${status}</dt>
                  <dd>${description}</dd>
                </div>`,
            ),
        )}
      </dl>
    </details>
  </article>`;
}

function renderPath(path: string): Html {
  return join(
    path
      .split(/(\{\w+\})/)
      .map((part) => (part.startsWith('{') ? html`<i>${part}</i>` : html`${part}`)),
  );
}

function renderAnswer({ responses }: Described): Html {
  const [[type, content] = []] = Object.entries(responses['200']?.content ?? {});
  if (type === undefined || !content) return html``;
  if (type === 'text/plain') return html`text, as it comes.`;
  const name = toSchemaName(content.schema);
  return content.schema.type === 'array'
    ? html`a list of ${renderSchemaLink(name)}.`
    : html`${renderSchemaLink(name)}.`;
}

function renderObject(name: string, schemas: Schemas): Html {
  const schema = schemas[name] ?? {};
  const forms = schema.anyOf ?? [schema];
  return html`<article id="object-${name}">
    <h3>${name}</h3>
    ${join(
      forms.map((form, index) => {
        const fields = listFields(form, schemas).map((field) => ({ ...field, required: false }));
        return renderFields(index === 0 ? '' : 'or', fields, schemas);
      }),
    )}
  </article>`;
}

function renderFields(title: string, fields: SchemaField[], schemas: Schemas): Html {
  if (fields.length === 0) return html``;
  return html`${title === '' ? html`` : html`<h4>${title}</h4>`}
    <table>
      ${join(
        fields.map(
          ({ name, required, schema }) =>
            html`<tr>
              <th scope="row"><code>${name}</code>${required ? html` <b>required</b>` : html``}</th>
              <td>${describeType(schema, schemas)}</td>
              <td>${schema.description ?? ''}</td>
            </tr>`,
        ),
      )}
    </table>`;
}

function renderSchemaLink(name: string): Html {
  return html`<a href="#object-${name}">${name}</a>`;
}

/** Text with `code` in it. */
function renderParagraph(text: string): Html {
  const parts = text
    .split('`')
    .map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
  return html`<p>${join(parts)}</p>`;
}

function toId(name: string): string {
  return name.toLowerCase().replaceAll(' ', '-');
}
