// The two Node programs share this module: the addresses, and one line for each check.
import assert from 'node:assert/strict';

export const { PASSWORD } = process.env;
export const REFERENCE = process.env.REFERENCE === '1';
export const ADDR = address('ADDR');
export const CLUSTER_ADDR = address('CLUSTER_ADDR');
export const AUTH_ADDR = address('AUTH_ADDR');
export const USER = ['CL.THROTTLE', 'user', '15', '30', '60'];
export const START = '1700000000000000000';

function address(name) {
  const [host, port] = process.env[name].split(':');
  return { host, port: Number(port) };
}

/** Runs one check and prints its line; a check that takes a minute has failed. */
export async function check(client, name, run) {
  let timer;
  const late = new Promise((_, no) => { timer = setTimeout(() => no(new Error('took a minute')), 60_000); });
  try {
    await Promise.race([run(), late]);
    console.log(`ok   ${client} ${name}`);
  } catch (err) {
    const at = (err.stack ?? '').split('\n').find((l) => l.includes(client.replace('-', '_') + '.mjs')) ?? '';
    console.log(`FAIL ${client} ${name}: ${String(err.message).replaceAll('\n', ' ')} ${at.trim()}`);
  } finally {
    clearTimeout(timer);
  }
}

/** The checks of CL.THROTTLE, given the library's generic call. */
export async function throttle(call) {
  if (REFERENCE) return assert.rejects(call(...USER), /unknown command/);
  await call('DEBUG', 'CLOCK', 'SET', START);
  try {
    for (let i = 0; i < 16; i++) assert.deepEqual(await call(...USER), [0, 16, 15 - i, -1, 2 * i + 2]);
    assert.deepEqual(await call(...USER), [1, 16, 0, 2, 32]);
    await call('DEBUG', 'CLOCK', 'ADVANCE', '2000000000');
    assert.deepEqual(await call(...USER), [0, 16, 0, -1, 32]);
  } finally {
    await call('DEBUG', 'CLOCK', 'RESUME');
  }
}

export async function throttleError(call) {
  if (REFERENCE) return;
  await assert.rejects(call('CL.THROTTLE', 'u', '15', '0', '60'), /Cell error: Store error: Zero rates are not supported/);
}
