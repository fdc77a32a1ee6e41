import { type AnySchemaObject, Ajv } from 'ajv';
import { expect, it } from 'vitest';
import { createManifest } from '../../src/app/manifest.ts';
import { readPlatformData } from '../fixtures/judges/platform-data.ts';

/** Slack's own schema of app manifests: slackapi/manifest-schema. It has keywords of its own. */
const schema = readPlatformData<AnySchemaObject>('slack/manifest.schema.json');
const ajv = new Ajv({ allErrors: true, strict: false, formats: { uri: URL.canParse } });
const validate = schema && ajv.compile(schema);

it.skipIf(!validate).each([
  ['for Socket Mode', createManifest('')],
  ['with a prefix', createManifest('kb-')],
  ['for events over HTTP', createManifest('', 'https://bot.example')],
  ['with a prefix, for events over HTTP', createManifest('kb-', 'https://bot.example')],
])('the manifest %s is valid by Slack’s schema', (_, manifest) => {
  validate?.(JSON.parse(manifest));
  expect(validate?.errors).toBeNull();
});
