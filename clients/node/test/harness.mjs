// Starts servers for the tests, and plays the story of all packages.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from 'redis';

const require = createRequire(import.meta.url);

/** The folder of the package, as its tarball has it. tests/middleware puts it there. */
export const folder = dirname(require.resolve('cellserver-ratelimit'));

/** Returns a module of the package that its users cannot reach. */
export const inside = (name) => require(join(folder, name));

/**
 * Returns a port that no process uses until this one ends. No system chooses it for a connection, so it stays
 * free while a server is down. All test programs hold their ports by UDP sockets of the same numbers.
 */
export const freePort = () =>
  new Promise((resolve) => {
    const port = 11_000 + Math.floor(Math.random() * 10_000);
    const holder = createSocket('udp4').bind(port, '127.0.0.1', () => {
      const server = createServer().listen(port, '127.0.0.1', () => server.close(() => resolve(port)));
      server.on('error', () => holder.close(() => resolve(freePort())));
    });
    holder.on('error', () => resolve(freePort()));
    holder.unref();
  });

/** Reports whether a server answers PING. It may want a password. */
const answers = (port) =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'));
    socket.on('data', (data) => {
      socket.destroy();
      resolve(/^(\+PONG|-NOAUTH)/.test(data));
    });
    socket.on('error', () => resolve(false));
  });

/** A running server whose clock stands still. */
export class Server {
  /** Starts a server, which ends with the test. */
  static async start(t, ...directives) {
    const server = new Server();
    server.port = await freePort();
    server.url = `redis://127.0.0.1:${server.port}`;
    server.web = `http://127.0.0.1:${(server.webPort = await freePort())}`;
    server.folder = mkdtempSync(join(tmpdir(), 'limits-'));
    t.after(async () => {
      await server.kill();
      rmSync(server.folder, { recursive: true });
    });
    await server.run(directives);
    server.admin = await server.client(t);
    await server.do('DEBUG', 'CLOCK', 'SET', '1800000000000000000');
    return server;
  }

  async run(directives = []) {
    const args = [
      '--port',
      this.port,
      '--http-port',
      this.webPort,
      '--enable-debug-command',
      'yes',
      '--appendonly',
      'no',
      '--dir',
      this.folder,
      ...directives,
    ];
    this.process = spawn(process.env.CELLSERVER, args, { stdio: 'ignore' });
    this.exit = new Promise((resolve) => this.process.once('exit', resolve));
    for (let i = 0; !(await answers(this.port)); i++) {
      assert.ok(i < 3000, 'the server does not start');
      await sleep(10);
    }
  }

  async kill() {
    this.process.kill('SIGKILL');
    await this.exit;
  }

  /** Returns a connected client, as README.md has it. */
  async client(t) {
    const client = createClient({ url: this.url, disableOfflineQueue: true });
    client.on('error', () => {});
    await client.connect();
    t.after(() => client.destroy());
    return client;
  }

  do(...args) {
    return this.admin.sendCommand(args.map(String));
  }

  /** How many commands have asked rules. */
  async questions() {
    const line = /cmdstat_cl\.mcheck:calls=(\d+)/.exec(await this.do('INFO', 'commandstats'));
    return line ? Number(line[1]) : 0;
  }

  /**
   * Plays the story. serve answers a request, which may have a quantity, with a status, headers and a body.
   */
  async play(serve) {
    let about = '',
      asked = 0;
    for (const step of JSON.parse(readFileSync(new URL('../../story.json', import.meta.url)))) {
      if (step.about) about = step.about;
      else if (step.run) assert.equal(await this.do(...step.run), step.reply);
      else if (step.advance) await this.do('DEBUG', 'CLOCK', 'ADVANCE', step.advance * 1_000_000);
      else {
        asked++;
        const reply = await serve(step.ask, step.quantity);
        if (reply) check(about, step, reply);
      }
    }
    assert.ok(asked > 30);
  }
}

const check = (about, step, { status, headers, body }) => {
  const names = ['RateLimit-Policy', 'RateLimit', 'Retry-After'];
  assert.deepEqual(
    [status, ...names.map((name) => headers.get(name))],
    [step.status, ...names.map((name) => step[name])],
    about,
  );
  if (status !== 429) return;
  assert.match(headers.get('Content-Type'), /^application\/problem\+json/);
  assert.deepEqual(JSON.parse(body), {
    type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
    title: 'The quota is used up',
    status: 429,
    'violated-policies': step.violated,
  });
};

/** Returns rules with one key for all requests. */
export const fixed = (pairs) => pairs.map(([rule, key]) => [rule, () => key]);
