import { describe } from 'vitest';
import { describeAdapter, describeIncoming } from '../../contracts/adapter.ts';
import { openSlackSeat } from './slack-seat.ts';

describeAdapter('Slack by Socket Mode', (options) => openSlackSeat('socket', options));
describe('Slack by HTTP', () => {
  describeIncoming((options) => openSlackSeat('http', options));
});
