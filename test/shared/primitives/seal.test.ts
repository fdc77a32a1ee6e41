import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createSeal, parseSecretsKey, SealError } from '../../../src/shared/primitives/seal.ts';

const key = randomBytes(32);
const seal = createSeal(key);

describe('a sealed text', () => {
  test('opens for what it was sealed for, and shows nothing of itself', () => {
    const sealed = seal.seal('xoxb-secret', 'T1');
    expect(sealed).not.toContain('xoxb');
    expect(Buffer.from(sealed, 'base64url').toString()).not.toContain('xoxb');
    expect(seal.open(sealed, 'T1')).toBe('xoxb-secret');
    expect(seal.seal('xoxb-secret', 'T1')).not.toBe(sealed);
  });

  test('does not open for another row', () => {
    const sealed = seal.seal('xoxb-secret', 'T1');
    expect(() => seal.open(sealed, 'T2')).toThrow(SealError);
  });

  test('does not open after any change', () => {
    const [id = '', content = ''] = seal.seal('xoxb-secret', 'T1').split('.');
    const bytes = Buffer.from(content, 'base64url');
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => seal.open(`${id}.${changed.toString('base64url')}`, 'T1')).toThrow(SealError);
    }
    for (const short of ['', 'AAAA', content.slice(0, -1)]) {
      expect(() => seal.open(`${id}.${short}`, 'T1')).toThrow(SealError);
    }
  });

  test('opens with the previous key, which is not the current one', () => {
    const sealed = seal.seal('xoxb-secret', 'T1');
    const next = createSeal(randomBytes(32), key);
    expect(next.open(sealed, 'T1')).toBe('xoxb-secret');
    expect(next.isCurrent(sealed)).toBe(false);
    expect(next.isCurrent(next.seal('xoxb-secret', 'T1'))).toBe(true);
    const other = createSeal(randomBytes(32));
    expect(() => other.open(sealed, 'T1')).toThrow('another SECRETS_KEY');
  });
});

test('a key has 32 bytes, in hexadecimal digits or base64', () => {
  expect(parseSecretsKey(key.toString('hex'))).toEqual(key);
  expect(parseSecretsKey(key.toString('hex').toUpperCase())).toEqual(key);
  expect(parseSecretsKey(key.toString('base64'))).toEqual(key);
  expect(parseSecretsKey(key.toString('base64url'))).toEqual(key);
  for (const wrong of ['', 'secret', randomBytes(31).toString('hex'), `${'!'.repeat(43)}=`]) {
    expect(parseSecretsKey(wrong)).toBeUndefined();
  }
});
