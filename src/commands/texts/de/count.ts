import { createCount } from '../count.ts';

/** A number with its noun. */
export const count = createCount('de');
