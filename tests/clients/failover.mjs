// Calls a cluster until standard input ends. Each call prints a line, which README.md describes.
//
// usage: node failover.mjs ioredis-cluster|ioredis-sentinel|node-redis-cluster|rolling-rate-limiter
import Redis from 'ioredis';
import { createClient, createCluster } from 'redis';
import rolling from 'rolling-rate-limiter';

const name = process.argv[2];
const nodes = process.env.NODES.split(',').map((node) => ({ host: node.split(':')[0], port: Number(node.split(':')[1]) }));
const sleep = (ms) => new Promise((done) => { setTimeout(done, ms); });
const unheard = () => {}; // each failed call reports its error, so the client's own events need no listener

/** The generic call of each library. */
const programs = {
  'ioredis-cluster': async () => {
    const settings = {
      slotsRefreshInterval: 250,
      slotsRefreshTimeout: 250,
      redisOptions: { connectTimeout: 500, commandTimeout: 500 },
    };
    const c = new Redis.Cluster(nodes, process.env.DEFAULTS ? {} : settings);
    c.on('error', unheard);
    return (...args) => c.call(...args);
  },
  'ioredis-sentinel': async () => {
    const c = new Redis({ sentinels: nodes, name: 'mymaster' });
    c.on('error', unheard);
    return (...args) => c.call(...args);
  },
  'node-redis-cluster': async () => {
    const settings = {
      topologyRefreshOnReconnectionAttemptStrategy: 200,
      commandOptions: { timeout: 500 },
      defaults: {
        pingInterval: 200,
        socket: { connectTimeout: 500, socketTimeout: 500, reconnectStrategy: (n) => Math.min(n * 50, 500) },
      },
    };
    const c = createCluster({ rootNodes: nodes.map((socket) => ({ socket })), ...(process.env.DEFAULTS ? {} : settings) });
    c.on('error', unheard);
    await c.connect();
    return (...args) => c.sendCommand(args[1], false, args);
  },
  'rolling-rate-limiter': async () => {
    const [host, port] = process.env.PROXY.split(':');
    const client = createClient({ socket: { host, port: Number(port) } });
    client.on('error', unheard);
    await client.connect();
    const limiter = new rolling.RedisRateLimiter({ client, namespace: '', interval: 1_000_000_000, maxInInterval: 50 });
    return async (command, key) => (command === 'INCR' ? client.incr(key) : [Number(await limiter.limit(key))]);
  },
};

let stopped = false;

async function work(worker, call) {
  for (let i = 0; !stopped; i++) {
    let args = ['INCR', `${name}:counter:${worker}:${i % 5}`];
    if (i % 4 === 3 && !process.env.COUNTERS)
      args = ['CL.THROTTLE', `${name}:limit:${Math.floor(i / 4) % 10}`, '49', '1', '1000000'];
    console.log(`${worker} call ${args[1]}`);
    try {
      const reply = await call(...args);
      console.log(`${worker} ok ${args[1]} ${Array.isArray(reply) ? reply[0] : reply}`);
      await sleep(5);
    } catch (err) {
      console.log(`${worker} error ${args[1]} ${err.constructor.name} ${err.code ?? ''} ${String(err.message).replaceAll(/\s+/g, ' ')}`);
      await sleep(20);
    }
  }
}

const call = await programs[name]();
const workers = [0, 1, 2, 3].map((worker) => work(worker, call));
process.stdin.resume();
process.stdin.on('end', () => { stopped = true; });
await Promise.race([Promise.all(workers), new Promise(() => {})]);
process.exit(0);
