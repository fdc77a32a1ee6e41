import type { ModelServer } from '../../shared/primitives/model-server.ts';

const operationPattern = /(?:\/chat\/completions|\/embeddings)?(?<!\/)\/*$/;

/**
 * The URL of a path under the base URL. A query stays where it belongs, such as Azure's
 * `?api-version=`, and so does the operation's path if the whole URL was copied from a console.
 */
export function toEndpoint(baseUrl: string, path: string): string {
  const url = new URL(baseUrl);
  url.pathname = `${url.pathname.replace(operationPattern, '')}/${path}`;
  return url.href;
}

/**
 * The headers of a request in JSON. Azure's API with versions takes a key only as `api-key`
 * (https://learn.microsoft.com/azure/ai-services/openai/reference).
 */
export function toHeaders({ baseUrl, apiKey }: ModelServer): Record<string, string> {
  return {
    'content-type': 'application/json',
    ...(apiKey && { authorization: `Bearer ${apiKey}` }),
    ...(apiKey && new URL(baseUrl).searchParams.has('api-version') && { 'api-key': apiKey }),
  };
}
