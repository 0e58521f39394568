'use strict';

const { createHmac } = require('node:crypto');
const { BlockList, isIP, isIPv4, isIPv6 } = require('node:net');
const { dotted, network } = require('./key.cjs');
const { checkOptions } = require('./options.cjs');

const OPTIONS = { proxies: ['string', 'number'], secret: ['string'] };

/**
 * Makes key functions as the HTTP port of the server does: keys({ proxies: '1' })('ip,header:X-Api-Key').
 *
 * proxies  who has written X-Forwarded-For: the number of proxies, such as '1', or their networks, such as
 *          '10.0.0.0/8 192.168.0.0/16'
 * secret   that of the hashes of headers and cookies; with the text of the file http-key-secret of the
 *          server, the keys are those of its HTTP port
 */
const keys = (options = {}) => {
  checkOptions('keys', OPTIONS, options);
  const { proxies = '0', secret = '' } = options;
  const trusted = parseProxies(String(proxies));
  return (source) => {
    if (typeof source !== 'string') throw new TypeError(`a source is a text such as 'ip', not ${source}`);
    if (source.startsWith('text:')) return () => Buffer.from(source.slice(5));
    const words = source.split(',');
    const parts = words.map((word) => partOf(word, trusted, secret) ?? checkText(word));
    if (!parts.some(Boolean))
      throw new TypeError(
        `${source} is the same key for all requests: write ip or header:NAME, or text:${source}`,
      );
    return (request) => {
      const from = read(request);
      const values = parts.map((part, i) => (part ? part(from) : Buffer.from(words[i]).toString('latin1')));
      if (!values.every(Boolean)) return Buffer.alloc(0);
      if (values.length === 1) return Buffer.from(values[0], 'latin1');
      const escaped = values.map((value) => value.replaceAll('%', '%25').replaceAll(',', '%2C'));
      return Buffer.from(escaped.join(','), 'latin1');
    };
  };
};

/**
 * Returns the headers and the address of a request of node:http, Express, Fastify or Hono. headers(name)
 * returns a value for each line.
 */
const read = (request) => {
  const raw = request.raw ?? request; // of Fastify
  if (raw.rawHeaders) {
    const is = (name) => (_, i, all) => i % 2 && all[i - 1].toLowerCase() === name;
    return { headers: (name) => raw.rawHeaders.filter(is(name)), remote: raw.socket.remoteAddress };
  }
  const headers = (name) => [request.req.raw.headers.get(name)].filter((value) => value !== null); // of Hono
  return { headers, remote: request.env?.incoming?.socket?.remoteAddress };
};

/** Returns the function that reads a word of a source, undefined for a text. */
const partOf = (word, trusted, secret) => {
  const [, kind, name] = /^([^:]*):?(.*)$/s.exec(word);
  if (/^((plain-)?(header|cookie)|ip-header):$/.test(word)) throw new TypeError(`${word} needs a name`);
  if (/^(path|path:case|method|host)$/.test(word)) {
    throw new TypeError(`${word} is for the HTTP port: take the route of your framework`);
  }
  const digest = (value) => createHmac('sha256', secret).update(value, 'latin1').digest('hex');
  const hashed = (value) => value && `hmac:${digest(value).slice(0, 32)}`;
  if (name && kind === 'header') return (from) => hashed(header(from, name));
  if (name && kind === 'cookie') return (from) => hashed(cookie(from, name));
  if (name && kind === 'plain-header') return (from) => header(from, name);
  if (name && kind === 'plain-cookie') return (from) => cookie(from, name);
  const address = /^(?:ip(?=$|\/\d*$)|ip-header:([^/]+))(?:\/(.*))?$/.exec(word);
  if (!address) return undefined;
  const [, of = 'x-forwarded-for', length = '64'] = address;
  const bits = /^\d+$/.test(length) ? Number(length) : 0;
  if (bits < 1 || bits > 128) throw new TypeError(`${word}: an IPv6 network has 1 to 128 bits`);
  return (from) => network(client(from, of.toLowerCase(), trusted) ?? '', bits);
};

/** The words that read a request. Those with a name behind a colon are the first ones. */
const WORDS = /^((plain-)?(header|cookie)|ip-header)$|^(ip(\/\d*)?|path|method|host)$/;

/** Refuses a text that is nearly a word, or has a colon: as a text it would be the same for all requests. */
const checkText = (word) => {
  if (!word) throw new TypeError('a part of a key is empty');
  const [known, named] = WORDS.exec(word.trim().toLowerCase()) ?? [];
  if (known) throw new TypeError(`${word} is no word of a key: write ${known}${named ? ':NAME' : ''}`);
  if (word.includes(':')) {
    const kinds = 'header, cookie, plain-header, plain-cookie, ip-header';
    throw new TypeError(`${word} is no word of a key: before a colon is ${kinds}`);
  }
};

/** Returns a header that occurs once. The scheme of a credential has small letters. */
const header = ({ headers }, name) => {
  const values = headers(name.toLowerCase()).map(trim);
  if (values.length !== 1) return '';
  if (!/^(proxy-)?authorization$/i.test(name)) return values[0];
  const [scheme, ...rest] = values[0].split(/[ \t]+/);
  return [scheme.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()), ...rest].join(' ');
};

/** Returns a cookie that occurs once, as frameworks decode it: without quotes, \101 and %41 for A. */
const cookie = ({ headers }, name) => {
  const pairs = headers('cookie')
    .flatMap((line) => line.split(';'))
    .map(pairOf);
  const values = pairs.filter(([, left]) => trim(left) === name).map(([, , right]) => trim(right));
  if (values.length !== 1) return '';
  let [value] = values;
  if (value.startsWith('"')) {
    const decode = (_, c) => (c.length === 3 ? String.fromCharCode(parseInt(c, 8)) : c);
    value = value
      .slice(1)
      .replace(/"$/, '')
      .replace(/\\([0-3][0-7]{2}|.)/g, decode);
  }
  return trim(value.replace(/%([0-9a-f]{2})/gi, (_, c) => String.fromCharCode(parseInt(c, 16))));
};

/** Returns the name and the value of a pair, after the whole. */
const pairOf = (pair) => /^([^=]*)=?(.*)$/s.exec(pair);

const trim = (text) => text.replace(/^[ \t]+|[ \t]+$/g, '');

const wrongProxies = 'proxies is a number from 0 to 16, or networks such as 10.0.0.0/8';
const everybody = 'a network of proxies has every address: name the networks of the proxies';

/** Says who the proxies are: their number, or a list of their networks. */
const parseProxies = (text) => {
  if (/^\d+$/.test(text) && Number(text) <= 16) return { count: Number(text), networks: new BlockList() };
  const networks = new BlockList();
  const words = text.split(' ').filter(Boolean);
  for (const word of words) {
    const [, at, bits] = /^([^/]*)\/?(\d*)$/.exec(word) ?? [];
    const family = isIPv4(at) ? 'ipv4' : 'ipv6';
    if (!isIPv4(at) && !isIPv6(at)) throw new TypeError(wrongProxies);
    if (bits !== '' && Number(bits) === 0) throw new TypeError(everybody); // a client could choose its address
    networks.addSubnet(at, bits === '' ? { ipv4: 32, ipv6: 128 }[family] : Number(bits), family);
  }
  if (!words.length) throw new TypeError(wrongProxies);
  return { count: 0, networks };
};

/** Returns the address of the client, undefined without one. */
const client = (from, name, trusted) => {
  const lists = from.headers(name);
  if (name !== 'x-forwarded-for' && name !== 'forwarded') return parse(header(from, name));
  const hops = name === 'forwarded' ? forwarded(lists) : lists.join(',').split(',').map(trim).filter(Boolean);
  return hops && choose(hops, from.remote, trusted);
};

/** Chooses the address of the client. hops are what proxies have written, the last one at the end. */
const choose = (hops, remote, { count, networks }) => {
  if (count) return count <= hops.length ? parse(hops.at(-count)) : undefined;
  let at = parse(remote ?? '');
  for (const hop of hops.toReversed?.() ?? [...hops].reverse()) {
    if (!at || !networks.check(at, isIPv4(at) ? 'ipv4' : 'ipv6')) break;
    at = parse(hop);
  }
  return at;
};

/**
 * Returns the addresses of Forwarded headers (RFC 7239), '' for an element without an address. undefined is a
 * quote without an end.
 */
const forwarded = (lists) => {
  const hops = [];
  for (const list of lists) {
    const elements = split(list, ',');
    if (!elements) return undefined;
    for (const element of elements.filter(trim)) {
      const pairs = split(element, ';').map(pairOf);
      const found = pairs.filter(([, name]) => trim(name).toLowerCase() === 'for').at(-1);
      const hop = found
        ? trim(found[2])
            .replace(/^"+|"+$/g, '')
            .replaceAll('\\', '')
        : '';
      hops.push(hop.split(':_')[0]); // the port may be a secret name
    }
  }
  return hops;
};

/** Splits a text at a separator outside of quotes. undefined is a quote without an end. */
const split = (text, separator) => {
  const parts = [''];
  let quoted = false;
  let escaped = false;
  for (const c of text) {
    if (c === separator && !quoted) {
      parts.push('');
      continue;
    }
    if (c === '"' && !escaped) quoted = !quoted;
    escaped = quoted && c === '\\' && !escaped;
    parts[parts.length - 1] += c;
  }
  return quoted ? undefined : parts;
};

/** Returns an address without a port, brackets and a zone, undefined for another text. */
const parse = (text) => {
  const [, inner, end] = /^\[([^\]]*)\](?::(\d+))?$/.exec(text) ?? [];
  const plain = (inner ?? text).split('%')[0];
  const [, start, port = end] = isIP(plain) ? [] : (/^([^[\]]*):(\d+)$/.exec(text) ?? []); // no brackets
  const ip = start ?? plain;
  return isIP(ip) && Number(port ?? 0) <= 65535 ? (dotted(ip) ?? ip) : undefined;
};

module.exports = { keys };
