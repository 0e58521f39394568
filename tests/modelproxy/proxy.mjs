// Stands before a language model with the API of OpenAI. It holds budgets of organisations, teams and users. Copy it.
//
// The program asks cellserver over HTTP: /reserve before each call of the model, and /settle after it. The environment has
// LISTEN, LIMITS, MODEL, MODEL_KEY and KEYS, as proxy/doc.go explains.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';

const { LISTEN, LIMITS, MODEL, MODEL_KEY = '' } = process.env;
const KEYS = new Map(Object.entries(JSON.parse(process.env.KEYS)));
const LONGEST = 600; // seconds of a call, and the ttl of its reservation

const post = (url, fields, seconds, headers = {}) => fetch(url, {
  method: 'POST', body: JSON.stringify(fields), headers: { 'Content-Type': 'application/json', ...headers },
  signal: AbortSignal.timeout(seconds * 1000),
});

/** Sends a request to cellserver until there is an answer, at most three times. The id makes that safe. */
const ask = async (path, fields) => {
  let failure;
  for (let i = 0; i < 3; i++) {
    try {
      const answer = await post(LIMITS + path, fields, 2);
      await answer.arrayBuffer();
      if (answer.status === 200 || answer.status === 429) return answer;
      failure = new Error(`cellserver: ${answer.status}`);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
};

/** Returns the tokens that a line of an answer reports, undefined if it reports none. */
const usageOf = (line) => {
  try {
    return JSON.parse(line.replace(/^data: /, '')).usage?.total_tokens;
  } catch {
    return undefined;
  }
};

/** Answers with an error in the form of the API. */
const refuse = (res, status, code, message) => {
  res.writeHead(status, { 'Content-Type': 'application/json' });
  res.end(JSON.stringify({ error: { message, type: code, code } }));
};

const read = async (req) => {
  const parts = [];
  let size = 0;
  for await (const part of req) {
    if ((size += part.length) > 1 << 20) throw new Error('too large');
    parts.push(part);
  }
  return Buffer.concat(parts);
};

/** Passes the answer of the model on. If the client hangs up, it still reads the answer to its end, because the model counts on.
 * It returns the tokens that the model has used, undefined if the model does not say. */
const forward = async (req, res, call) => {
  let answer;
  try {
    answer = await post(MODEL + req.url, call, LONGEST, { Authorization: `Bearer ${MODEL_KEY}` });
  } catch {
    refuse(res, 502, 'model_unavailable', 'the model does not answer');
    return undefined; // it may have counted
  }
  let used = answer.status === 200 ? undefined : 0; // a call that failed costs nothing
  res.writeHead(answer.status, { 'Content-Type': answer.headers.get('content-type') });
  const decoder = new TextDecoder();
  let line = '';
  try {
    for await (const part of answer.body) {
      res.write(part);
      const lines = (line + decoder.decode(part, { stream: true })).split('\n');
      line = lines.pop();
      for (const one of lines) used = usageOf(one) ?? used;
    }
    used = usageOf(line) ?? used;
  } catch {
    // the model broke off: the estimate stays
  }
  res.end();
  return used;
};

/** Reserves an estimate, calls the model, and settles what the model says it has used. */
const serve = async (req, res) => {
  const keys = KEYS.get((req.headers.authorization ?? '').replace(/^Bearer /, ''));
  if (!keys) return refuse(res, 401, 'invalid_api_key', 'this API key is unknown');
  let call, size;
  try {
    const body = await read(req);
    size = body.length;
    call = { ...JSON.parse(body) };
  } catch {
    return refuse(res, 400, 'invalid_request', 'the body is not JSON, or too large');
  }
  if (!(Number.isInteger(call.max_tokens) && call.max_tokens >= 1 && call.max_tokens <= 1e6)) call.max_tokens = 1000;
  if (call.stream === true) call.stream_options = { include_usage: true };
  // The id is never that of the client: a second call with the same id would cost nothing.
  const about = { rule: 'llm', keys, id: randomUUID() };
  const estimate = Math.floor(size / 4) + call.max_tokens; // a token of a prompt has about four bytes
  let limits;
  try {
    limits = await ask('/reserve', { ...about, quantity: estimate, ttl: LONGEST });
  } catch (error) {
    console.error('no decision:', error.message);
    res.setHeader('Retry-After', '1');
    return refuse(res, 503, 'unavailable', 'the budgets cannot be asked now');
  }
  for (const name of ['RateLimit', 'RateLimit-Policy', 'Retry-After']) {
    if (limits.headers.get(name)) res.setHeader(name, limits.headers.get(name));
  }
  const wait = limits.headers.get('Retry-After');
  if (limits.status !== 200) {
    return wait
      ? refuse(res, 429, 'rate_limit_exceeded', `a budget is used up: try again after ${wait} seconds`)
      : refuse(res, 429, 'request_too_large', 'this request is larger than a whole budget: lower max_tokens');
  }
  const used = await forward(req, res, call);
  if (used === undefined) return undefined;
  return ask('/settle', { ...about, quantity: used })
    .catch((error) => console.error('the estimate of a call stays counted:', error.message));
};

const [host, port] = LISTEN.split(/:(?=\d+$)/);
createServer((req, res) => {
  res.on('error', () => {}); // the client has hung up
  serve(req, res);
}).listen(Number(port), host);
