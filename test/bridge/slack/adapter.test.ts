import { describeAdapter } from '../../contracts/adapter.ts';
import { openSlackSeat } from './slack-seat.ts';

describeAdapter('Slack by Socket Mode', (options) => openSlackSeat('socket', options));
describeAdapter('Slack by HTTP', (options) => openSlackSeat('http', options));
