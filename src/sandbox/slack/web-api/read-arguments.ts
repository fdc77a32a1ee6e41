import { SlackError } from '../slack-error.ts';

/**
 * A call's arguments, from its query and its body: a form, or JSON.
 * @throws {SlackError} `invalid_json`, `json_not_object`, `invalid_form_data` or
 * `invalid_post_type`
 */
export async function readArguments(request: Request): Promise<Record<string, unknown>> {
  const query = Object.fromEntries(new URL(request.url).searchParams);
  if (request.method === 'GET') return query;
  return { ...query, ...(await readBody(request)) };
}

async function readBody(request: Request): Promise<Record<string, unknown>> {
  const type = (request.headers.get('content-type') ?? '').replace(/;.*/, '').trim().toLowerCase();
  switch (type) {
    case 'application/json':
      return parseObject(await request.text());
    case 'application/x-www-form-urlencoded':
      return Object.fromEntries(new URLSearchParams(await request.text()));
    case 'multipart/form-data':
      return readForm(request);
    case '':
      return {};
    default:
      throw new SlackError('invalid_post_type');
  }
}

function parseObject(text: string): Record<string, unknown> {
  if (text === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new SlackError('invalid_json');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new SlackError('json_not_object');
  }
  return value as Record<string, unknown>;
}

async function readForm(request: Request): Promise<Record<string, unknown>> {
  try {
    return Object.fromEntries(await request.formData());
  } catch {
    throw new SlackError('invalid_form_data');
  }
}
