import { Counter, Histogram, Registry } from 'prom-client';
import type { Reports } from '../conversation/ports.ts';

/** What the process tells Prometheus. */
export interface Metrics extends Reports {
  /** In Prometheus's text format. */
  render(): Promise<Response>;
}

const seconds = [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const characters = [100, 300, 1000, 3000, 10_000, 30_000];

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const labelNames = ['platform'] as const;
  const histogram = (name: string, help: string, buckets: number[]) =>
    new Histogram({ name: `causeway_reply_${name}`, help, labelNames, buckets, registers });

  const turns = new Counter({
    name: 'causeway_turns_total',
    help: 'Turns that ended, by outcome',
    labelNames: ['platform', 'outcome'],
    registers,
  });
  const writes = new Counter({
    name: 'causeway_writes_total',
    help: 'Writes of replies: posts and edits',
    labelNames,
    registers,
  });
  const refused = new Counter({
    name: 'causeway_refused_writes_total',
    help: 'Writes that a platform refused as too many',
    labelNames,
    registers,
  });
  const feedback = new Counter({
    name: 'causeway_feedback_total',
    help: 'Presses of the feedback buttons, changes of mind included',
    labelNames: ['platform', 'choice'],
    registers,
  });
  const firstText = histogram('first_text_seconds', 'From first delta to first text', seconds);
  const staleness = histogram('staleness_seconds', 'Mean age of text not yet visible', seconds);
  const tail = histogram('tail_seconds', 'From the end of the stream to the last text', seconds);
  const length = histogram('characters', 'Length of replies', characters);

  return {
    turnEnded({ platform, outcome, ...stats }) {
      turns.inc({ platform, outcome });
      writes.inc({ platform }, stats.writes);
      refused.inc({ platform }, stats.refused);
      if (stats.firstTextMs !== undefined) {
        firstText.observe({ platform }, stats.firstTextMs / 1000);
        staleness.observe({ platform }, stats.stalenessMs / 1000);
        tail.observe({ platform }, stats.tailMs / 1000);
      }
      length.observe({ platform }, stats.length);
    },
    rated: (platform, choice) => feedback.inc({ platform, choice }),
    async render() {
      const headers = { 'content-type': registry.contentType };
      return new Response(await registry.metrics(), { headers });
    },
  };
}
