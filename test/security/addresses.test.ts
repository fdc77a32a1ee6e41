import type { buildConnector } from 'undici';
import { describe, expect, test } from 'vitest';
import {
  createPublicConnector,
  isPublicAddress,
} from '../../src/service/ingestion/public-address.ts';

/** Addresses of this machine, of its network, or of nothing, by kind. */
const special = {
  'this host': ['0.0.0.0', '0.1.2.3', '::'],
  loopback: ['127.0.0.1', '127.255.255.254', '::1', '0:0:0:0:0:0:0:1'],
  'private networks': ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.0.1'],
  'shared by a provider': ['100.64.0.1', '100.127.255.255'],
  'link-local': ['169.254.0.1', '169.254.255.255', 'fe80::1', 'febf::1'],
  'unique local': ['fc00::1', 'fdff::1'],
  'metadata at AWS': [
    '169.254.169.254',
    'fd00:ec2::254',
    '169.254.170.2',
    '169.254.170.23',
    'fd00:ec2::23',
  ],
  'metadata at Azure': [
    '168.63.129.16',
    '::ffff:168.63.129.16',
    '::ffff:a83f:8110',
    '::168.63.129.16',
    '64:ff9b::168.63.129.16',
    '2002:a83f:8110::1',
  ],
  'metadata at Google': ['169.254.169.254', 'fd20:ce::254'],
  'metadata at Alibaba, Oracle and Tencent': ['100.100.100.200', '192.0.0.192', '169.254.0.23'],
  'metadata at Scaleway and Akamai': ['169.254.42.42', 'fd00:42::42', 'fd00:a9fe:a9fe::1'],
  'metadata of OpenStack': ['169.254.169.254', 'fe80::a9fe:a9fe'],
  'site-local': ['fec0::1', 'feff::1'],
  'IPv4-compatible': ['::127.0.0.1', '::7f00:1', '::10.0.0.1', '::a00:1', '::8.8.8.8', '::2'],
  'IPv4-mapped': [
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:a9fe:a9fe',
    '::ffff:10.0.0.1',
    '::ffff:0.0.0.0',
  ],
  'IPv4-translated': ['::ffff:0:127.0.0.1', '::ffff:0:a00:1'],
  NAT64: [
    '64:ff9b::7f00:1',
    '64:ff9b::a00:1',
    '64:ff9b::10.0.0.1',
    '64:ff9b:1::a00:1',
    '64:ff9b:1:ffff::1',
  ],
  '6to4': ['2002:7f00:1::', '2002:a00:1::', '2002:a00:1::1', '2002:c0a8:1::1', '2002:808:808::1'],
  Teredo: ['2001::1', '2001:0:7f00:1::1', '2001:0:ffff:ffff:ffff:ffff:f5ff:fffe'],
  'protocol assignments': [
    '192.0.0.0',
    '192.0.0.8',
    '192.0.0.9',
    '192.0.0.10',
    '192.0.0.170',
    '192.0.0.171',
    '192.0.0.255',
    '2001:1::1',
    '2001:1::2',
    '2001:1::3',
    '2001:2::1',
    '2001:3::1',
    '2001:10::1',
    '2001:20::1',
  ],
  'name servers for what is private': ['192.31.196.1', '192.175.48.1'],
  'multicast relays': ['192.52.193.1'],
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

const ordinary = [
  '8.8.8.8',
  '93.184.216.34',
  '168.63.129.15',
  '168.63.129.17',
  '::ffff:8.8.8.8',
  '2606:4700::1111',
  '2a00:1450::1',
];

test.each(ordinary)('%s is public', (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

/** Connects to a name with these addresses, and returns the hosts that were connected to. */
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

test('the address that was checked is the one that is connected to', async () => {
  expect(await connectTo(['93.184.216.34', '8.8.8.8'])).toEqual(['93.184.216.34']);
});

test.each([
  ['a private address among public ones', ['93.184.216.34', '10.0.0.1']],
  ['an IPv4-compatible loopback address', ['::127.0.0.1']],
  ['the address of a cloud’s metadata', ['169.254.169.254']],
  ['the public address of Azure’s host', ['168.63.129.16']],
  ['no address', []],
])('a name with %s is never connected to', async (_, addresses) => {
  expect(await connectTo(addresses)).toEqual([]);
});

const numbers = ['[::1]', '[::7f00:1]', '::1', '127.0.0.1', '[64:ff9b::a00:1]', '168.63.129.16'];

test.each(numbers)('%s in place of a name is never connected to', async (hostname) => {
  expect(await connectTo([], hostname)).toEqual([]);
});

test.each(['2822734096', '0xa83f8110', '0250.077.0201.020', '168.63.33040', '168.63.129.16.'])(
  '%s is recognized as Azure’s metadata host',
  async (written) => {
    const { hostname } = new URL(`http://${written}/`);
    expect(hostname).toBe('168.63.129.16');
    expect(await connectTo([], hostname)).toEqual([]);
  },
);
