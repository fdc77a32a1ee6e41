import type { buildConnector } from 'undici';
import { describe, expect, test } from 'vitest';
import {
  createPublicConnector,
  isPublicAddress,
} from '../../src/service/ingestion/public-address.ts';

/** Addresses that lead into this machine or its network, or nowhere, by where they belong. */
const special = {
  'this host': ['0.0.0.0', '0.1.2.3', '::'],
  loopback: ['127.0.0.1', '127.255.255.254', '::1', '0:0:0:0:0:0:0:1'],
  'private networks': ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.0.1'],
  'shared by a provider': ['100.64.0.1', '100.127.255.255'],
  'link-local, with cloud metadata': ['169.254.169.254', 'fe80::1', 'febf::1'],
  'unique local': ['fc00::1', 'fd00:ec2::254'],
  'site-local': ['fec0::1', 'feff::1'],
  'IPv4-compatible': ['::127.0.0.1', '::7f00:1', '::10.0.0.1', '::a00:1', '::8.8.8.8', '::2'],
  'IPv4-mapped': ['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:a9fe:a9fe', '::ffff:0.0.0.0'],
  'IPv4-translated': ['::ffff:0:127.0.0.1', '::ffff:0:a00:1'],
  NAT64: ['64:ff9b::7f00:1', '64:ff9b::10.0.0.1', '64:ff9b:1::a00:1', '64:ff9b:1:ffff::1'],
  '6to4': ['2002:7f00:1::', '2002:a00:1::1', '2002:c0a8:1::1', '2002:808:808::1'],
  Teredo: ['2001::1', '2001:0:7f00:1::1', '2001:0:ffff:ffff:ffff:ffff:f5ff:fffe'],
  'protocol assignments': ['192.0.0.1', '2001:2::1', '2001:3::1', '2001:10::1', '2001:20::1'],
  'identifiers and agents': ['2001:30::1', '2001:1ff::1', '2001:4:112::1', '2620:4f:8000::1'],
  documentation: [
    '192.0.2.1',
    '198.51.100.1',
    '203.0.113.1',
    '2001:db8::1',
    '3fff::1',
    '3fff:fff::1',
  ],
  benchmarks: ['198.18.0.1', '198.19.255.255'],
  'discarded and routing': ['100::1', '100:0:0:1::1', '5f00::1', '5fff::1'],
  multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1', 'ff0e::1'],
  'reserved or not given out': [
    '240.0.0.1',
    '255.255.255.255',
    '192.88.99.1',
    '4000::1',
    '8000::1',
  ],
  'with a zone': ['fe80::1%lo', '::1%1', '2606:4700::1%eth0'],
  'no address': ['', 'x', '1.2.3.4.5', ':::', '2606:4700::1::1', '[2606:4700::1]'],
};

describe.each(Object.entries(special))('%s', (_, addresses) => {
  test.each(addresses)('%s is not public', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

test.each(['8.8.8.8', '93.184.216.34', '::ffff:8.8.8.8', '2606:4700::1111', '2a00:1450::1'])(
  '%s is public',
  (address) => {
    expect(isPublicAddress(address)).toBe(true);
  },
);

/** Connects to a name of these addresses, and gives the hosts that were dialled. */
async function connectTo(addresses: string[], hostname = 'site.example'): Promise<string[]> {
  const dialled: string[] = [];
  const dial: buildConnector.connector = (options, callback) => {
    dialled.push(options.hostname);
    callback(new Error('nobody answers'), null);
  };
  const lookup = async () => addresses.map((address) => ({ address, family: 4 }));
  const connect = createPublicConnector(dial, lookup);
  const { promise, resolve } = Promise.withResolvers<void>();
  connect({ hostname, protocol: 'http:', port: '80' }, () => resolve());
  await promise;
  return dialled;
}

test('the address that was checked is the one that is dialled', async () => {
  expect(await connectTo(['93.184.216.34', '8.8.8.8'])).toEqual(['93.184.216.34']);
});

test.each([
  ['a private address among public ones', ['93.184.216.34', '10.0.0.1']],
  ['an IPv4-compatible loopback address', ['::127.0.0.1']],
  ['no address', []],
])('a name with %s is never dialled', async (_, addresses) => {
  expect(await connectTo(addresses)).toEqual([]);
});

test.each(['[::1]', '[::7f00:1]', '::1', '127.0.0.1', '[64:ff9b::a00:1]'])(
  '%s in place of a name is never dialled',
  async (hostname) => {
    expect(await connectTo([], hostname)).toEqual([]);
  },
);
