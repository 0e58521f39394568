import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import * as index from '../index.mjs';

test('the compiler of TypeScript checks the declarations and their use', async () => {
  const tsc = fileURLToPath(new URL('../node_modules/.bin/tsc', import.meta.url));
  const project = fileURLToPath(new URL('types/tsconfig.json', import.meta.url));
  await promisify(execFile)(tsc, ['--project', project]).catch((error) => assert.fail(error.stdout || error));
});

test('the declarations are those of the package', () => {
  const text = readFileSync(new URL('../index.d.mts', import.meta.url), 'utf8');
  const declared = [...text.matchAll(/^export (?:class|function) (\w+)/gm)].map(([, name]) => name);
  assert.deepEqual(declared.sort(), Object.keys(index).sort());
});
