import { ProblemError } from '../../shared/problems/problem.ts';

/** A file or page could not be read or stored. The problem is for the person who added it. */
export class IngestionError extends ProblemError {
  override name = 'IngestionError';
}
