import { IngestionError } from './ingestion-error.ts';

const hostProblems = {
  ENOTFOUND: 'host_unknown',
  ERR_PROXY: 'host_not_proxied',
  EAI_AGAIN: 'host_lookup_failed',
  ECONNREFUSED: 'host_refuses',
  ECONNRESET: 'host_broke_off',
  EHOSTUNREACH: 'host_unreachable',
  ENETUNREACH: 'host_unreachable',
  ETIMEDOUT: 'host_silent',
  UND_ERR_CONNECT_TIMEOUT: 'host_silent',
  UND_ERR_SOCKET: 'host_broke_off',
} as const;

/** From undici, its HTTP parser and zlib. */
const unreadableCodePattern = /^(?:UND_ERR_|HPE_|Z_|ERR_BROTLI_|ERR__ERROR_|HTTPParserError$)/u;

/** Converts a network error to an IngestionError; other errors are returned unchanged. */
export function toFetchError(error: unknown, address: string): unknown {
  const causes = [...toCauses(error)];
  const known = causes.find((cause) => cause instanceof IngestionError);
  if (known) return known;
  const host = URL.parse(address)?.host ?? address;
  const codes = causes.map(toCode);
  const named = codes.find((code) => Object.hasOwn(hostProblems, code));
  if (named !== undefined) {
    const code = hostProblems[named as keyof typeof hostProblems];
    return new IngestionError({ code, params: { host } }, { cause: error });
  }
  const certificate = codes.find((code) => /CERT|SELF_SIGNED|TLS|SSL|ALTNAME/u.test(code));
  if (certificate !== undefined) {
    const params = { host, reason: certificate };
    return new IngestionError({ code: 'host_certificate', params }, { cause: error });
  }
  return codes.some((code) => unreadableCodePattern.test(code))
    ? new IngestionError({ code: 'host_unreadable', params: { host } }, { cause: error })
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
