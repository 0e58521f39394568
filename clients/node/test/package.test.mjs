// The package, as npm installs it in an empty folder.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import * as index from 'cellserver-ratelimit';
import { folder } from './harness.mjs';

const run = async (command, ...args) =>
  (
    await promisify(execFile)(command, args, { cwd: consumer }).catch((error) =>
      assert.fail(`${error.stdout}${error.stderr}` || error),
    )
  ).stdout;
const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const tsc = here('node_modules/.bin/tsc');
let consumer;

before(async () => {
  consumer = mkdtempSync(join(tmpdir(), 'consumer-'));
  writeFileSync(join(consumer, 'package.json'), '{"private": true}');
  await run('npm', 'install', '--offline', '--silent', '--no-audit', '--no-fund', process.env.PACKED);
});

after(() => rmSync(consumer, { recursive: true }));

/** What both forms of the package do, and that they are one. */
const use = `
  const names = Object.keys(required).filter((name) => name !== 'default').sort().join();
  let asked;
  const client = async (args) => { asked = args.map(String); return [0, 5, 4, -1, 60000]; };
  const limit = rateLimit({ client, windowMs: 60_000, limit: 5, keyGenerator: () => 'ann' });
  const res = { setHeader() {}, once() {} };
  limit({ ip: '10.0.0.1' }, res, (error) => console.log(names, error ?? asked.join(' ')));
`;
const shown =
  'AdaptiveLimit,ExpressStore,LimitReached,Limiter,NoDecision,express,fastify,fastifyStore,hono,keys,network,rateLimit' +
  ' CL.WINDOW rl:ann 5 60 1 MS\n';

test('require', async () => {
  writeFileSync(
    join(consumer, 'use.cjs'),
    `
    const required = require('cellserver-ratelimit');
    const { rateLimit } = required;
    ${use}
    if (required !== rateLimit) throw new Error('the package is not the function');
    import('cellserver-ratelimit').then((imported) => {
      if (imported.Limiter !== required.Limiter) throw new Error('two states');
      if (imported.default !== required.rateLimit) throw new Error('two functions');
    });`,
  );
  assert.equal(await run('node', 'use.cjs'), shown);
});

test('import', async () => {
  writeFileSync(
    join(consumer, 'use.mjs'),
    `
    import rateLimit, * as required from 'cellserver-ratelimit';
    import { rateLimit as same } from 'cellserver-ratelimit';
    if (rateLimit !== same) throw new Error('two functions');
    ${use}`,
  );
  assert.equal(await run('node', 'use.mjs'), shown);
});

test('the client for HTTP, with require and import', async () => {
  const ask =
    "check('http://127.0.0.1:1', { rule: 'a', key: 'b' }, { onError() {} })" +
    '.then(({ allowed }) => console.log(allowed));';
  writeFileSync(join(consumer, 'http.cjs'), `const { check } = require('cellserver-ratelimit/http'); ${ask}`);
  writeFileSync(join(consumer, 'http.mjs'), `import { check } from 'cellserver-ratelimit/http'; ${ask}`);
  for (const file of ['http.cjs', 'http.mjs']) assert.equal(await run('node', file), 'true\n', file);
});

test('the client for HTTP uses nothing of Node', () => {
  const text = readFileSync(join(folder, 'http.mjs'), 'utf8').replace(/^ *(\/?\*|\/\/).*$/gm, '');
  assert.doesNotMatch(text, /\bimport\b|\brequire\b|\bprocess\b|\bBuffer\b|\bglobal\b|node:/);
});

test('the tarball has the package and nothing else', () => {
  const files = readdirSync(folder);
  assert.deepEqual(
    files.filter((name) => !/^(README\.md|package\.json|LICENSE.*|[a-z]+\.(d\.)?[cm](js|ts))$/.test(name)),
    [],
  );
  for (const name of [
    'index.cjs',
    'index.mjs',
    'index.d.cts',
    'index.d.mts',
    'http.cjs',
    'http.mjs',
    'http.d.cts',
    'http.d.mts',
  ]) {
    assert.ok(files.includes(name), name);
  }
});

test('TypeScript compiles a user of each form, for each kind of resolution', async () => {
  for (const name of ['@types', 'undici-types']) {
    symlinkSync(here(`node_modules/${name}`), join(consumer, 'node_modules', name));
  }
  const use = `
    const client = async (args: unknown[]) => args;
    const limiter = rateLimit({ client, limit: 5, standardHeaders: 'draft-8' });
    const reset: Promise<void> = limiter.resetKey('ann');
    const decision = check('http://127.0.0.1', { rule: 'a', key: 'b' });
    export const allowed: Promise<boolean> = decision.then((one) => one.allowed);
    // @ts-expect-error a draft that does not exist
    rateLimit({ client: async () => 0, standardHeaders: 'draft-5' });
    export { reset, NoDecision };`;
  const imports =
    "import { rateLimit, NoDecision } from 'cellserver-ratelimit';\n" +
    "import { check } from 'cellserver-ratelimit/http';";
  writeFileSync(
    join(consumer, 'use.mts'),
    `import byDefault from 'cellserver-ratelimit';\n${imports}${use}\nbyDefault({ client: async () => 0 });`,
  );
  writeFileSync(join(consumer, 'use.cts'), imports + use);
  for (const options of [
    ['--module', 'nodenext'],
    ['--module', 'node16'],
    ['--module', 'esnext', '--moduleResolution', 'bundler'],
  ]) {
    await run(
      tsc,
      '--noEmit',
      '--strict',
      '--target',
      'es2022',
      '--types',
      'node',
      ...options,
      'use.mts',
      'use.cts',
    );
  }
});

test('TypeScript checks the declarations and their use', async () => {
  await run(tsc, '--project', here('types/tsconfig.json'));
});

test('the declarations are those of the package', () => {
  const text = readFileSync(join(folder, 'index.d.cts'), 'utf8');
  const declared = [...text.matchAll(/^export (?:class|function) (\w+)/gm)].map(([, name]) => name);
  assert.deepEqual([...declared, 'default'].sort(), Object.keys(index).sort());
});
