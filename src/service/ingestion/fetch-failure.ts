import { FetchError } from './fetch-error.ts';

const sentencesByCode: Record<string, string> = {
  ENOTFOUND: 'could not be found. Check the address for typing errors',
  EAI_AGAIN: 'could not be looked up. Try again later',
  ECONNREFUSED: 'refuses connections. Try again later',
  ECONNRESET: 'broke the connection off. Try again later',
  EHOSTUNREACH: 'can’t be reached. Try again later',
  ENETUNREACH: 'can’t be reached. Try again later',
  ETIMEDOUT: 'does not answer. Try again later',
  UND_ERR_CONNECT_TIMEOUT: 'does not answer. Try again later',
  UND_ERR_SOCKET: 'broke the connection off. Try again later',
};

/** From undici, its HTTP parser and zlib. */
const unreadableCodePattern = /^(?:UND_ERR_|HPE_|Z_|ERR_BROTLI_|ERR__ERROR_|HTTPParserError$)/u;

/** Converts a network error to a sentence; other errors are returned unchanged. */
export function toFetchError(error: unknown, address: string): unknown {
  const causes = [...toCauses(error)];
  const known = causes.find((cause) => cause instanceof FetchError);
  if (known) return known;
  const host = URL.parse(address)?.host ?? address;
  const codes = causes.map(toCode);
  const sentence = codes.map((code) => sentencesByCode[code]).find((found) => found !== undefined);
  if (sentence !== undefined) return new FetchError(`${host} ${sentence}.`, { cause: error });
  const certificate = codes.find((code) => /CERT|SELF_SIGNED|TLS|SSL|ALTNAME/u.test(code));
  if (certificate !== undefined) {
    return new FetchError(`${host} has no valid certificate (${certificate}).`, { cause: error });
  }
  return codes.some((code) => unreadableCodePattern.test(code))
    ? new FetchError(`What ${host} answers could not be read.`, { cause: error })
    : error;
}

/** Its code, or its name if there is none: undici's parser sometimes omits the code. */
function toCode(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

function* toCauses(error: unknown): Generator<Error> {
  let cause = error;
  while (cause instanceof Error) {
    yield cause;
    cause = cause.cause;
  }
}
