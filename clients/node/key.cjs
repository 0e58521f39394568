'use strict';

const { createHash } = require('node:crypto');
const { isIP, isIPv4 } = require('node:net');

/** The bytes of the longest key that the server gets as it is. */
const LONGEST = 256;

/** The types of a key, beside bytes. */
const KINDS = ['string', 'number', 'bigint', 'boolean', 'undefined'];

/**
 * Returns the bytes of a key, or the hash of a long key. A missing key is the empty key. Another object is an
 * error: all of them would be one text, and so one key.
 */
const encode = (key) => {
  if (!(key === null || key instanceof Uint8Array || KINDS.includes(typeof key))) {
    const kind = Object.prototype.toString.call(key).slice(8, -1);
    throw new TypeError(`a key is a text, a number, a boolean or bytes, not a value of the kind ${kind}`);
  }
  const data = key instanceof Uint8Array ? Buffer.from(key) : bytes(String(key ?? ''));
  return data.length <= LONGEST
    ? data
    : Buffer.from(`sha256:${createHash('sha256').update(data).digest('hex')}`);
};

/**
 * Returns the bytes of a text. Half of a pair of surrogates has bytes of its own, as in Python: Buffer.from
 * makes the same of all.
 */
const bytes = (text) => {
  if (text.isWellFormed()) return Buffer.from(text);
  const half = (code) => Buffer.from([0xe0 | (code >> 12), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63)]);
  return Buffer.concat(
    Array.from(text, (one) => (one.isWellFormed() ? Buffer.from(one) : half(one.charCodeAt(0)))),
  );
};

/**
 * Returns the key of an address. An IPv6 address counts as its network of 64 bits, because a client has all
 * addresses of such a network. Another text is its own key.
 */
const network = (address = '', bits = 64) => {
  const ip = address.split('%')[0];
  if (!isIP(ip)) return address;
  const mask = (i) => 0xffff & (0xffff << (16 - Math.min(16, Math.max(0, bits - 16 * i))));
  const kept = (n, i) => (n & mask(i)).toString(16);
  return dotted(ip) ?? `${shortest(groupsOf(ip).map(kept).join(':'))}/${bits}`;
};

/** Returns an IPv4 address, also in a form of IPv6: ::ffff:10.0.0.1, or 64:ff9b::10.0.0.1 (RFC 6052). */
const dotted = (ip) => {
  if (isIPv4(ip)) return ip;
  const groups = groupsOf(ip);
  if (!['0,0,0,0,0,65535', '100,65435,0,0,0,0'].includes(String(groups.slice(0, 6)))) return undefined;
  return groups
    .slice(6)
    .flatMap((n) => [n >> 8, n & 255])
    .join('.');
};

/** Returns the eight numbers of an IPv6 address. */
const groupsOf = (ip) => {
  const [head, tail] = shortest(ip)
    .split('::')
    .map((part) => part.split(':').filter(Boolean));
  const groups = tail ? [...head, ...Array(8 - head.length - tail.length).fill('0'), ...tail] : head;
  return groups.map((group) => parseInt(group, 16));
};

/** Returns the shortest form of an IPv6 address. */
const shortest = (ip) => new URL(`http://[${ip}]`).hostname.slice(1, -1);

module.exports = { encode, network, dotted };
