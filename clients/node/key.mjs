import { createHash } from 'node:crypto';
import { isIPv4, isIPv6 } from 'node:net';

/** The bytes of the longest key that the server gets as it is. */
const LONGEST = 256;

/** Returns the bytes of a key, or the hash of a long key. A missing key is the empty key. */
export const encode = (key) => {
  const data = key instanceof Uint8Array ? Buffer.from(key) : bytes(String(key ?? ''));
  return data.length <= LONGEST ? data : Buffer.from(`sha256:${createHash('sha256').update(data).digest('hex')}`);
};

/** Returns the bytes of a text. Half of a pair of surrogates has bytes of its own, as in Python: Buffer.from makes the same of all. */
const bytes = (text) => {
  if (text.isWellFormed()) return Buffer.from(text);
  const half = (code) => Buffer.from([0xe0 | (code >> 12), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63)]);
  return Buffer.concat(Array.from(text, (one) => (one.isWellFormed() ? Buffer.from(one) : half(one.charCodeAt(0)))));
};

/**
 * Returns the key of an address. An IPv6 address counts as its network of 64 bits, because a client has all addresses of such a
 * network. Another text is its own key.
 */
export const network = (address = '', bits = 64) => {
  const ip = address.split('%')[0];
  if (isIPv4(ip) || !isIPv6(ip)) return isIPv4(ip) ? ip : address;
  const short = shortest(ip);
  const mapped = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(short);
  if (mapped) return mapped.slice(1).map((group) => parseInt(group, 16)).flatMap((n) => [n >> 8, n & 255]).join('.');
  const [head, tail] = short.split('::').map((part) => part.split(':').filter(Boolean));
  const groups = tail ? [...head, ...Array(8 - head.length - tail.length).fill('0'), ...tail] : head;
  const mask = (i) => 0xffff & (0xffff << (16 - Math.min(16, Math.max(0, bits - 16 * i))));
  const kept = groups.map((group, i) => parseInt(group, 16) & mask(i));
  return `${shortest(kept.map((group) => group.toString(16)).join(':'))}/${bits}`;
};

/** Returns the shortest form of an IPv6 address. */
const shortest = (ip) => new URL(`http://[${ip}]`).hostname.slice(1, -1);
