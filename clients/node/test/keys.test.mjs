import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { keys } from 'cellserver-ratelimit';
import { inside } from './harness.mjs';

const { encode } = inside('key.cjs');

test('the packages of all languages and the server make the same key of a request', () => {
  const vectors = JSON.parse(readFileSync(new URL('../../keys.json', import.meta.url)));
  assert.ok(vectors.length > 80);
  for (const { about, source, trust, secret, remote, headers, key, refused } of vectors) {
    if (refused) {
      assert.throws(() => keys()(source), TypeError, source);
      continue;
    }
    const socket = { remoteAddress: /^\[?(.*?)\]?:\d+$/.exec(remote)[1] };
    const of = keys({ proxies: trust, secret })(source);
    const raw = { rawHeaders: headers.flat(), socket };
    const joined = new Map();
    for (const [name, value] of headers) joined.set(name.toLowerCase(), [joined.get(name.toLowerCase()), value].filter(Boolean).join(', '));
    const fetched = { headers: { get: (name) => joined.get(name) ?? null } };
    for (const request of [raw, { raw }, { req: { raw: fetched }, env: { incoming: { socket } } }]) {
      assert.equal(encode(of(request)).toString(), key ?? '', about);
    }
  }
});

test('texts that differ are keys that differ', () => {
  assert.deepEqual(encode('a\ud800'), Buffer.from([0x61, 0xed, 0xa0, 0x80]));
  assert.deepEqual(encode('\udfff😀'), Buffer.from([0xed, 0xbf, 0xbf, 0xf0, 0x9f, 0x98, 0x80]));
});

test('wrong sources and proxies', () => {
  for (const source of ['header:', 'ip,cookie:', 'ip-header:', 'ip,path', 'ip/0', 'ip/129', 'ip/', 'ip-header:X/a']) {
    assert.throws(() => keys()(source), /needs a name|is for the HTTP port|1 to 128 bits/);
  }
  for (const proxies of ['17', '-1', 'x', ' ', '10.0.0.0/33', '1 10.0.0.0/8']) assert.throws(() => keys({ proxies }));
  for (const proxies of ['0.0.0.0/0', '10.0.0.0/8 ::/0'])
    assert.throws(() => keys({ proxies }), /a network of proxies has every address/);
});

test('a source that is the same key for all requests says what may stand there', () => {
  for (const [source, message] of [
    ['api', /api is the same key for all requests: write ip or header:NAME, or text:api/],
    ['ip,IP', /IP is no word of a key: write ip$/],
    ['header', /header is no word of a key: write header:NAME/],
    ['hdr:X-Api-Key', /hdr:X-Api-Key is no word of a key: before a colon is header, cookie, /],
    [undefined, /a source is a text such as 'ip', not undefined/],
  ])
    assert.throws(() => keys()(source), message);
  assert.throws(() => keys({ proxy: 1 }), /keys has no option proxy. It has proxies, secret/);
  assert.throws(() => keys({ secret: 7 }), /secret is a string, not 7/);
});

test('of a header that occurs twice, it is unknown which one the service reads', () => {
  assert.equal(keys()('header:a')({ rawHeaders: ['a', '1', 'A', '2'], socket: {} }).length, 0);
});
