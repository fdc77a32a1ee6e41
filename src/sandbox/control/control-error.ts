import { ContentTooLarge } from '../contents.ts';
import { DiscordRefusal, type FieldError, type FormErrors } from '../discord/refusals.ts';

/** A request that the control API rejects, with a sentence for the client. */
export class ControlError extends Error {
  override readonly name = 'ControlError';
  readonly status: 400 | 404 | 413 | 415 | 503;
  constructor(status: ControlError['status'], message: string) {
    super(message);
    this.status = status;
  }
}

/**
 * Converts an error into the control API's response to it; undefined for a bug in the sandbox.
 * Something that people can't do is a plain Error on Slack and a DiscordRefusal on Discord.
 */
export function toControlError(error: unknown): ControlError | undefined {
  if (error instanceof ControlError) return error;
  if (error instanceof ContentTooLarge) return new ControlError(413, error.message);
  if (error instanceof DiscordRefusal) {
    const faults = error.errors ? listFaults(error.errors) : [];
    return new ControlError(400, [error.message, ...faults].join(': '));
  }
  const isPlain = error instanceof Error && error.name === 'Error' && !('code' in error);
  return isPlain ? new ControlError(400, error.message) : undefined;
}

function listFaults(errors: FormErrors, path = ''): string[] {
  return Object.entries(errors).flatMap(([field, below]) => {
    if (Array.isArray(below)) return below.map(({ message }: FieldError) => `${path}${message}`);
    return below ? listFaults(below, `${field} `) : [];
  });
}
