// Job queues of Node, as users run them: workers wait before the jobs come, and each job is done once.
import Queue from 'bull';
import BeeQueue from 'bee-queue';

const [host, port] = process.env.ADDR.split(':');
const redis = { host, port: Number(port) };
const jobs = 200;

async function check(library, run) {
  const late = new Promise((_, reject) => setTimeout(() => reject(new Error('jobs are not done after 30 s')), 30_000).unref());
  try {
    await Promise.race([run(), late]);
    console.log(`ok   ${library} ${jobs} jobs`);
  } catch (err) { // a check that fails must not end the others
    console.log(`FAIL ${library} ${jobs} jobs: ${err.message}`.replaceAll('\n', ' '));
  }
}

// collects numbers, and resolves when all of them have come once.
function collector() {
  const done = [];
  let finish;
  const all = new Promise((resolve) => { finish = resolve; });
  return { all, add: (n) => { if (done.push(n) === jobs) finish(); }, done };
}

function once(done) {
  const sorted = [...done].sort((a, b) => a - b);
  if (sorted.length !== jobs || sorted.some((n, i) => n !== i)) throw new Error(`done: ${sorted.length} of ${jobs}, or twice`);
}

const settle = () => new Promise((resolve) => setTimeout(resolve, 300)); // a job that is done twice would come now

await check('bull', async () => {
  const queue = new Queue('bull-jobs', { redis });
  const { all, add, done } = collector();
  queue.process(4, async (job) => add(job.data.n));
  await queue.isReady();
  for (let n = 0; n < jobs; n++) await queue.add({ n }, n % 10 ? {} : { delay: 50 });
  await all;
  await settle();
  once(done);
  await queue.close();
});

await check('bee-queue', async () => {
  const queue = new BeeQueue('bee-jobs', { redis });
  await queue.ready();
  const { all, add, done } = collector();
  queue.process(4, async (job) => add(job.data.n));
  for (let n = 0; n < jobs; n++) await queue.createJob({ n }).save();
  await all;
  await settle();
  once(done);
  await queue.close(1000);
});
process.exit(0);
