import { setFlagsFromString } from 'node:v8';

/**
 * From now on, garbage is collected once the heap has doubled. Later costs memory; sooner costs CPU
 * time with every reply, and with all that a start loads. docs/decisions/0037-cost-of-a-reply.md has
 * the figures.
 */
export function limitHeapGrowth(): void {
  setFlagsFromString('--heap-growing-percent=100');
}
