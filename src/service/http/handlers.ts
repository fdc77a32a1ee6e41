import type { z } from 'zod';
import type { OperationName, operations, PathParameter } from '../../shared/api/operations.ts';
import type { ReceivedFile } from './upload.ts';

type Operation<Name extends OperationName> = (typeof operations)[Name];

/** A request with a valid key, path, query and body. */
export interface OperationRequest<Name extends OperationName> {
  owner: string;
  params: Record<PathParameter<Operation<Name>['path']>, string>;
  query: Operation<Name> extends { query: infer Query extends z.ZodType }
    ? z.output<Query>
    : undefined;
  /**
   * For an upload, a function that reads the form, so that nothing is read for an unknown chatbot.
   */
  body: Operation<Name> extends { upload: true }
    ? () => Promise<{ file: ReceivedFile; fields: BodyOf<Name> }>
    : Operation<Name> extends { bodyOptional: true }
      ? BodyOf<Name> | undefined
      : BodyOf<Name>;
  /** The `Idempotency-Key` header, if the operation takes one. */
  key?: string;
  /** Aborts when the client leaves. */
  signal: AbortSignal;
}

type BodyOf<Name extends OperationName> =
  Operation<Name> extends { body: infer Body extends z.ZodType } ? z.output<Body> : undefined;

type AnswerOf<Name extends OperationName> = Operation<Name>['answer'] extends z.ZodType
  ? GivenOf<z.input<Operation<Name>['answer']>>
  : AsyncIterable<string> | ReadableStream<Uint8Array>;

/** A list may be read as it is sent. */
type GivenOf<Answer> = Answer extends readonly (infer Item)[]
  ? Iterable<Item> | AsyncIterable<Item>
  : Answer;

/** The handler of each operation. */
export type Handlers = {
  [Name in OperationName]: (
    request: OperationRequest<Name>,
  ) => AnswerOf<Name> | Promise<AnswerOf<Name>>;
};
