import { type AnySchemaObject, Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { createManifest } from '../../src/app/manifest.ts';
import { commandNames } from '../fixtures/command-names.ts';
import { readPlatformData } from '../fixtures/judges/platform-data.ts';

/** Slack's own schema of app manifests: slackapi/manifest-schema. It has keywords of its own. */
const schema = readPlatformData<AnySchemaObject>('slack/manifest.schema.json');
const ajv = new Ajv({ allErrors: true, strict: false, formats: { uri: URL.canParse } });
const validate = schema && ajv.compile(schema);

const names = [
  ['one command', commandNames()],
  ['one command of another name', commandNames({ slack: 'kb' })],
  ['short commands too', commandNames({ slackShort: true, prefix: 'kb-' })],
] as const;
const modes = [
  ['over Socket Mode', {}],
  ['over HTTP', { origin: 'https://bot.example' }],
  ['without the agent view', { agentView: false }],
  ['for many workspaces', { origin: 'https://bot.example', many: true }],
  ['for many over Socket Mode', { origin: 'https://bot.example', many: true, socket: true }],
  ['for a review', { origin: 'https://bot.example', many: true, history: false }],
] as const;

describe.skipIf(!validate).each(names)('the manifest with %s', (_, given) => {
  it.each(modes)('%s is valid by Slack’s schema', async (_, mode) => {
    await validate?.(JSON.parse(createManifest(given, mode)));
    expect(validate?.errors).toBeNull();
  });
});
