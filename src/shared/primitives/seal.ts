import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

/** Encrypts texts at rest, so that whoever reads the database alone can't use them. */
export interface Seal {
  /** @param about what the text belongs to, such as its row: it opens only there */
  seal(text: string, about: string): string;
  /** @throws {SealError} when it was sealed with another key, for something else, or was changed */
  open(sealed: string, about: string): string;
  /** Whether a text was sealed with the present key, and not with the previous one. */
  isCurrent(sealed: string): boolean;
}

/** A sealed text can't be opened. */
export class SealError extends Error {
  override readonly name = 'SealError';
}

/** The bytes of a key, from 64 hexadecimal digits or from base64; undefined if it has not 32 of them. */
export function parseSecretsKey(text: string): Buffer | undefined {
  if (/^[\da-f]{64}$/i.test(text)) return Buffer.from(text, 'hex');
  if (!/^[\w+/-]{43}=?$/.test(text)) return undefined;
  return Buffer.from(text, 'base64');
}

/** The nonce that NIST SP 800-38D recommends, random for each text, and the whole tag. */
const nonceBytes = 12;
const tagBytes = 16;

/**
 * Seals with AES-256-GCM.
 *
 * @param key 32 bytes, as `parseSecretsKey` reads them
 * @param previous also opens what was sealed before the key was changed
 */
export function createSeal(key: Buffer, previous?: Buffer): Seal {
  const current = idOf(key);
  const keys = new Map([
    ...(previous ? [[idOf(previous), previous] as const] : []),
    [current, key] as const,
  ]);

  return {
    seal(text, about) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes });
      cipher.setAAD(Buffer.from(about));
      const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final()]);
      return `${current}.${Buffer.concat([sealed, cipher.getAuthTag()]).toString('base64url')}`;
    },
    open(sealed, about) {
      const [id = '', content = ''] = sealed.split('.', 2);
      const opening = keys.get(id);
      if (!opening) throw new SealError('was encrypted with another SECRETS_KEY');
      const bytes = Buffer.from(content, 'base64url');
      try {
        const nonce = bytes.subarray(0, nonceBytes);
        const options = { authTagLength: tagBytes };
        const decipher = createDecipheriv('aes-256-gcm', opening, nonce, options);
        decipher.setAAD(Buffer.from(about));
        decipher.setAuthTag(bytes.subarray(-tagBytes));
        const text = decipher.update(bytes.subarray(nonceBytes, -tagBytes));
        return Buffer.concat([text, decipher.final()]).toString('utf8');
      } catch {
        throw new SealError('was changed after it was encrypted, or belongs to something else');
      }
    },
    isCurrent: (sealed) => sealed.startsWith(`${current}.`),
  };
}

/** Seals with the keys of the configuration, which has checked them. */
export function openSeal(keys: { secretsKey: string; previousSecretsKey?: string }): Seal {
  const key = parseSecretsKey(keys.secretsKey);
  if (!key) throw new Error('SECRETS_KEY is not a key of 32 bytes.');
  return createSeal(key, parseSecretsKey(keys.previousSecretsKey ?? ''));
}

/** Tells keys apart, and says nothing about them. */
function idOf(key: Buffer): string {
  return createHash('sha256').update('key id').update(key).digest('base64url').slice(0, 8);
}
