import type { z } from 'zod';
import type { OperationName, operations, PathParameter } from '../../api/operations.ts';
import type { ReceivedFile } from '../sources.ts';

type Operation<Name extends OperationName> = (typeof operations)[Name];

/** A request whose key, path, query and body were found good. */
interface OperationRequest<Name extends OperationName> {
  owner: string;
  params: Record<PathParameter<Operation<Name>['path']>, string>;
  query: Operation<Name> extends { query: infer Query extends z.ZodType }
    ? z.output<Query>
    : undefined;
  /** Of an upload: reads the form when called, so that nothing is read for an unknown chatbot. */
  body: Operation<Name> extends { upload: true }
    ? () => Promise<{ file: ReceivedFile; fields: BodyOf<Name> }>
    : Operation<Name> extends { bodyOptional: true }
      ? BodyOf<Name> | undefined
      : BodyOf<Name>;
  /** Aborts when the client leaves. */
  signal: AbortSignal;
}

type BodyOf<Name extends OperationName> =
  Operation<Name> extends { body: infer Body extends z.ZodType } ? z.output<Body> : undefined;

type AnswerOf<Name extends OperationName> = Operation<Name>['answer'] extends z.ZodType
  ? z.input<Operation<Name>['answer']>
  : string | ReadableStream<Uint8Array>;

/** What each operation of the contract does. */
export type Handlers = {
  [Name in OperationName]: (
    request: OperationRequest<Name>,
  ) => AnswerOf<Name> | Promise<AnswerOf<Name>>;
};
