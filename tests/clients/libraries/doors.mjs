// Libraries of Node that use several slots and databases, as their users run them on a Redis with Sentinel. SENTINELS names the
// nodes, PROXY is a proxy-port. The same calls must give the same results over both.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createShardedAdapter } from '@socket.io/redis-adapter';
import Bottleneck from 'bottleneck';
import Redis from 'ioredis';
import { Server } from 'socket.io';
import { io } from 'socket.io-client';

const address = (text) => ({ host: text.split(':')[0], port: Number(text.split(':')[1]) });
const doors = {
  'proxy-port': address(process.env.PROXY),
  sentinel: { sentinels: process.env.SENTINELS.split(',').map(address), name: 'mymaster', db: 1 },
};

const sleep = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

// twelve jobs, and at most three of them at a time.
async function bottleneck(clientOptions) {
  const limiter = new Bottleneck({
    id: 'jobs', datastore: 'ioredis', clearDatastore: true, clientOptions, Redis, reservoir: 12, maxConcurrent: 3,
  });
  const group = new Bottleneck.Group({ connection: limiter.connection, maxConcurrent: 1 });
  let running = 0;
  let most = 0;
  const job = async () => {
    most = Math.max(most, ++running);
    await sleep(10);
    running--;
    return 1;
  };
  const done = await Promise.all(Array.from({ length: 12 }, () => limiter.schedule(job)));
  if (done.length !== 12 || most > 3) throw new Error(`${done.length} jobs, ${most} at a time`);
  const left = await limiter.currentReservoir();
  if (left !== 0) throw new Error(`${left} are left`);
  await Promise.all(['a', 'b', 'c'].map((key) => group.key(key).schedule(job)));
}

// socket.io's sharded adapter: a message at one server reaches the clients of the other one, once.
async function socketIO(options, door) {
  const nodes = await Promise.all([0, 1].map(async () => {
    const http = createServer().listen(0, '127.0.0.1');
    await once(http, 'listening');
    const settings = { channelPrefix: door, subscriptionMode: 'dynamic' }; // all databases have the same channels
    const adapter = createShardedAdapter(new Redis(options), new Redis(options), settings);
    const server = new Server(http, { adapter });
    server.on('connection', (socket) => { socket.join('room'); });
    const client = io(`http://127.0.0.1:${http.address().port}`, { transports: ['websocket'] });
    const heard = [];
    client.on('news', (text) => { heard.push(text); });
    await once(client, 'connect');
    return { server, client, heard };
  }));
  for (let i = 0; (await nodes[0].server.in('room').fetchSockets()).length !== 2; i++) {
    if (i === 100) throw new Error('one server does not see the client of the other');
    await sleep(100);
  }
  nodes[0].server.emit('news', 'to all');
  nodes[1].server.to('room').emit('news', 'to the room');
  nodes[1].server.to(nodes[0].client.id).emit('news', 'to one');
  const want = [['to all', 'to the room', 'to one'], ['to all', 'to the room']];
  for (let i = 0; nodes.some(({ heard }, k) => heard.length < want[k].length); i++) {
    if (i === 100) throw new Error(`heard ${JSON.stringify(nodes.map((n) => n.heard))}`);
    await sleep(50);
  }
  nodes.forEach(({ heard }, k) => {
    if (heard.sort().join() !== want[k].sort().join()) throw new Error(`heard ${heard}`);
  });
}

for (const [door, options] of Object.entries(doors)) {
  for (const [library, run] of Object.entries({ bottleneck, 'socket.io': socketIO })) {
    try {
      await run(options, door);
      console.log(`ok   ${library} ${door}`);
    } catch (err) { // a check that fails must not end the others
      console.log(`FAIL ${library} ${door}: ${err.message}`.replaceAll('\n', ' '));
    }
  }
}
process.exit(0);
