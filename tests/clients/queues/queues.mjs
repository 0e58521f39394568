// Job queues of Node, as users run them: workers wait before the jobs come, and each job is done once.
//
// With SENTINELS, half of the jobs end after the death of the leader: Bull finds the next one over Sentinel, Bee-Queue over the
// proxy-port PROXY. The test kills the leader when this program prints "half", and then writes a line. At this moment all workers
// are busy, and other jobs wait.
import Queue from 'bull';
import BeeQueue from 'bee-queue';
import { once } from 'node:events';

const failover = 'SENTINELS' in process.env;
const address = (text) => ({ host: text.split(':')[0], port: Number(text.split(':')[1]) });
const jobs = failover ? 160 : 200;
const sleep = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

// repeats a call that finds no leader, as a program of a user does.
async function surely(send) {
  for (let i = 0; failover && i < 100; i++) {
    try {
      return await Promise.race([send(), sleep(3000).then(() => { throw new Error('no answer'); })]);
    } catch {
      await sleep(100);
    }
  }
  return send();
}

const workers = 4; // of each library
const waiting = new Set(['bull', 'bee-queue']); // which have not done half of their jobs yet
const death = failover ? once(process.stdin, 'data') : null;
function waits(library) {
  if (waiting.delete(library) && waiting.size === 0 && failover) console.log('half');
}

async function check(library, begin) {
  const done = [];
  let dead = !failover, holds = 0, busy;
  const allBusy = new Promise((resolve) => { busy = resolve; });
  death?.then(() => { dead = true; });
  async function work(n) {
    if (n >= jobs / 2 && !dead) {
      if (++holds === workers) busy();
      await death;
    }
    done.push(n);
  }
  async function all(wanted) {
    for (let i = 0; new Set(done).size < wanted; i++) {
      if (i === 400) throw new Error(`${new Set(done).size} of ${wanted} are done`);
      await sleep(100);
    }
  }
  try {
    const send = await begin(work);
    for (let n = 0; n < jobs; n++) {
      if (n === jobs / 2 && failover) await all(n);
      if (n === jobs / 2 + 2 * workers && failover) {
        await allBusy;
        waits(library);
        await death;
      }
      await surely(() => send(n));
    }
    await all(jobs);
    await sleep(300); // a job that is done twice would come now
    if (!failover && done.length !== jobs) throw new Error('a job is done twice');
    if (!done.every((n) => n >= 0 && n < jobs)) throw new Error('a job that was not sent is done');
    console.log(`ok   ${library} ${jobs} jobs`);
  } catch (err) { // a check that fails must not end the others
    console.log(`FAIL ${library} ${jobs} jobs: ${err.message}`.replaceAll('\n', ' '));
    waits(library);
  }
}

const checks = [
  ['bull', async (work) => {
    const sentinels = process.env.SENTINELS?.split(',').map(address);
    const redis = failover ? { sentinels, name: 'mymaster' } : address(process.env.ADDR);
    const queue = new Queue('bull-jobs', { redis });
    queue.on('error', () => {});
    queue.process(workers, (job) => work(job.data.n));
    await queue.isReady();
    return (n) => queue.add({ n }, { jobId: `job${n}`, delay: n % 10 ? 0 : 50 });
  }],
  ['bee-queue', async (work) => {
    const redis = failover ? { ...address(process.env.PROXY), retry_strategy: () => 100 } : address(process.env.ADDR);
    const queue = new BeeQueue('bee-jobs', { redis });
    queue.on('error', () => {});
    await queue.ready();
    queue.process(workers, (job) => work(job.data.n));
    return (n) => queue.createJob({ n }).save();
  }],
];
await Promise.all(checks.map(([library, begin]) => check(library, begin)));
process.exit(0);
