/** Why a turn is ended before its time: the process stops, a person said so, its question is gone. */
export type StopReason =
  | { kind: 'restart' }
  | { kind: 'person'; name: string }
  | { kind: 'removed' };

/** A turn was ended before its time. */
export class StoppedError extends Error {
  override readonly name = 'StoppedError';
  readonly reason: StopReason;

  constructor(reason: StopReason) {
    super(`stopped: ${reason.kind}`);
    this.reason = reason;
  }
}
