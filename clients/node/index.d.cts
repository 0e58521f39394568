import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * The name of a rule, and a key. A name such as llm@org names a scope, too. A missing key is the empty key.
 */
export type Question = readonly [rule: string, key?: unknown];

/**
 * The name of a rule, and a function from the request to the key, which may be a promise. Without the
 * function the key is the address of the connection.
 */
export type Rule<Request> = readonly [rule: string, key?: (request: Request) => unknown];

/** A function from the request to its quantity: an integer from 0. A quantity of 0 only looks. */
export type Cost<Request> = (request: Request) => number | bigint | Promise<number | bigint>;

/** Sends the arguments of a command, and returns its reply. `key` finds the node of a cluster. */
export type Send = (args: Array<string | Buffer>, key?: string | Buffer) => unknown;

/** A connected client or cluster of node-redis or ioredis, or a function that sends a command. */
export type Client =
  | Send
  | { sendCommand(args: Array<string | Buffer>): unknown }
  | {
      sendCommand(
        key: string | Buffer | undefined,
        isReadonly: boolean | undefined,
        args: Array<string | Buffer>,
      ): unknown;
    }
  | { call(command: string, ...args: Array<string | Buffer>): unknown };

export interface Options {
  /** Milliseconds that a request waits for a decision; 250 by default. */
  timeout?: number;
  /** Refuses requests while there is no decision. By default they pass. */
  failClosed?: boolean;
  /** How many refusals the limiter remembers; 10,000 by default, 0 for none. */
  denials?: number;
  /** Decides about hot keys in this process, from units that it takes in advance; false by default. */
  lease?: boolean;
  /**
   * Is called for each request without a decision. By default the limiter logs one of them every 10 seconds.
   */
  onError?: (error: Error) => void;
  /** The clock of the remembered refusals, in milliseconds. */
  now?: () => number;
}

/** The reply of the rules to one action. */
export interface Decision {
  readonly allowed: boolean;
  /** Milliseconds until the same action is allowed; 0 for an allowed action, and -1 if no wait helps. */
  readonly retryAfter: number;
  /** The value of RateLimit-Policy; '' without a limit to show. */
  readonly policy: string;
  /** The value of RateLimit. */
  readonly limit: string;
  /** The names of the policies that refuse. */
  readonly violated: readonly string[];
  /**
   * The numbers of the tightest limit of the first rule, in milliseconds; undefined without a limit to show.
   */
  readonly tightest?: { most: number; left: number; reset: number; window: number };
  /** Returns the headers of the reply. */
  headers(): Record<string, string>;
  /** Returns the body of a refusal, a problem of RFC 9457. */
  body(): string;
}

/** The server did not decide in time, and the limiter fails closed. */
export class NoDecision extends Error {
  readonly status: 503;
  readonly headers: Record<string, string>;
}

export class Limiter {
  constructor(client: Client, options?: Options);
  /**
   * Asks all rules about one action. Either all rules allow the action and count it, or no rule counts it.
   * Without a decision the action is allowed; with failClosed the promise is rejected with NoDecision.
   */
  ask(...questions: Question[]): Promise<Decision>;
  /**
   * Asks as ask does, about an action that takes a quantity. A wrong quantity rejects the promise with a
   * RangeError.
   */
  askFor(quantity: number | bigint, ...questions: Question[]): Promise<Decision>;
}

/** A value, or a function that computes it for a request. */
export type ValueOf<T, Request, Response> = T | ((request: Request, response: Response) => T | Promise<T>);

/** What a limit says about a request, in `request.rateLimit`. Refused requests count nothing. */
export interface RateLimitInfo {
  limit: number;
  used: number;
  remaining: number;
  resetTime: Date;
  key: unknown;
}

/** The options of express-rate-limit, and those of this package. README.md has their defaults. */
export interface RateLimitOptions<Request = any, Response = any> {
  /** A connected client of node-redis or ioredis. */
  client: Client;
  /** The name of a rule of the server, in the place of `limit` and `windowMs`. */
  rule?: string;
  windowMs?: number;
  limit?: ValueOf<number, Request, Response>;
  /** The old name of `limit`. */
  max?: ValueOf<number, Request, Response>;
  /** Is before the keys on the server; 'rl:' by default. A second limit of a client needs its own. */
  prefix?: string;
  /** Milliseconds that a request waits for a decision; 250 by default. */
  timeout?: number;
  /** How many refusals the process remembers; 10,000 by default, 0 for none. */
  denials?: number;
  /** Lets requests pass while there is no decision; true by default. */
  passOnStoreError?: boolean;
  logger?: { error(error: unknown, message?: string): void };
  skip?: (request: Request, response: Response) => boolean | Promise<boolean>;
  keyGenerator?: (request: Request, response: Response) => unknown;
  ipv6Subnet?: ValueOf<number | false, Request, Response>;
  handler?: (
    request: Request,
    response: Response,
    next: (error?: unknown) => void,
    options: RateLimitOptions<Request, Response>,
  ) => unknown;
  message?: any;
  statusCode?: number;
  standardHeaders?: boolean | 'draft-6' | 'draft-7' | 'draft-8';
  legacyHeaders?: boolean;
  /** The old name of `legacyHeaders`. */
  headers?: boolean;
  identifier?: ValueOf<string, Request, Response>;
  retryAfter?: ValueOf<number, Request, Response>;
  requestPropertyName?: string;
  skipFailedRequests?: boolean;
  skipSuccessfulRequests?: boolean;
  requestWasSuccessful?: (request: Request, response: Response) => boolean | Promise<boolean>;
}

/** How many hits a key has, and when they end. */
export interface Hits {
  totalHits: number;
  resetTime: Date;
}

/** Middleware for Express with the options of express-rate-limit. */
export function rateLimit<Request extends IncomingMessage = any, Response extends ServerResponse = any>(
  options: RateLimitOptions<Request, Response>,
): ((request: Request, response: Response, next: (error?: unknown) => void) => void) & {
  /** Gives a key a fresh start. */
  resetKey(key: unknown): Promise<void>;
  getKey(key: unknown): Promise<Hits | undefined>;
};
export { rateLimit as default };

export interface StoreOptions {
  client: Client;
  /** Is before the keys on the server. Each limit needs its own. */
  prefix?: string;
  /** Milliseconds that a request waits for a reply; 250 by default. */
  timeout?: number;
}

/** A store for express-rate-limit: rateLimit({ store: new ExpressStore({ client }) }). */
export class ExpressStore {
  constructor(options: StoreOptions);
  readonly localKeys: false;
  readonly prefix: string;
  init(options: { windowMs: number }): void;
  get(key: string): Promise<Hits | undefined>;
  increment(key: string): Promise<Hits>;
  decrement(key: string): Promise<void>;
  resetKey(key: string): Promise<void>;
  resetAll(): Promise<void>;
}

/** A store of @fastify/rate-limit. */
export interface FastifyStore {
  incr(key: string, callback: FastifyCallback, timeWindow: number, max: number): void;
  read(key: string, callback: FastifyCallback, timeWindow: number): void;
  child(options: any): FastifyStore;
}
export type FastifyCallback = (error: Error | null, result?: { current: number; ttl: number }) => void;

/** Returns a store for @fastify/rate-limit: app.register(rateLimit, { store: fastifyStore({ client }) }). */
export function fastifyStore(options: StoreOptions): new (options: any) => FastifyStore;

/** Middleware for Express, Connect and plain node:http. */
export function express<Request extends IncomingMessage = any>(
  limiter: Limiter,
  rules: ReadonlyArray<Rule<Request>>,
  cost?: Cost<Request>,
): (request: Request, response: ServerResponse, next: (error?: unknown) => void) => void;

/** A hook for Fastify: app.addHook('onRequest', fastify(…)). */
export function fastify<Request extends { ip: string } = any>(
  limiter: Limiter,
  rules: ReadonlyArray<Rule<Request>>,
  cost?: Cost<Request>,
): (request: Request, reply: FastifyReply) => Promise<unknown>;

/** What the hook needs of a reply of Fastify. */
export interface FastifyReply {
  headers(values: Record<string, string>): unknown;
  code(status: number): { send(body?: unknown): unknown };
}

/**
 * Middleware for Hono. On node:http it knows the address of the connection; on other platforms give it a key
 * function.
 */
export function hono<Context extends HonoContext = any>(
  limiter: Limiter,
  rules: ReadonlyArray<Rule<Context>>,
  cost?: Cost<Context>,
): (context: Context, next: () => Promise<void>) => Promise<Response | void>;

/** What the middleware needs of a context of Hono. */
export interface HonoContext {
  env?: any;
  res: Response;
  body(data: string, status?: any, headers?: any): Response;
}

/** Returns the key of an address: of an IPv6 address its network of 64 bits. Another text is its own key. */
export function network(address?: string, bits?: number): string;

/** Who is before the service, and the secret of the hashes of headers and cookies. */
export interface KeyOptions {
  /**
   * The number of proxies that write X-Forwarded-For, '0' by default, or their networks, such as '10.0.0.0/8
   * 192.168.0.0/16'.
   */
  proxies?: string | number;
  /** With the text of the file http-key-secret of the server, the keys are those of its HTTP port. */
  secret?: string;
}

/**
 * Returns a function that makes key functions as the HTTP port does: keys({ proxies: '1' })('ip,header:X-Api-
 * Key').
 */
export function keys(options?: KeyOptions): (source: string) => (request: any) => Buffer;

/** How a call of a service ended. DROP is a time-out, or a service that is overloaded. IGNORE counts nothing. */
export type Outcome = 'OK' | 'DROP' | 'IGNORE';

export interface AdaptiveOptions {
  /**
   * Milliseconds after which the permit of a caller that has crashed is free; 60,000 by default. Longer than a
   * call.
   */
  lease?: number;
  /** Milliseconds that a call waits for the limiter; 250 by default. */
  timeout?: number;
  /** How many calls of this process may be under way while the limiter does not answer; 20 by default. */
  ceiling?: number;
  /** Options of CL.ENTER, such as ['BETWEEN', 5, 200]. All callers of a key have the same ones. */
  words?: ReadonlyArray<string | number>;
  /** Is called for each call about which the limiter did not decide. */
  onError?: (error: Error) => void;
}

/** Ends a call. A second time does nothing. */
export interface Leave {
  (outcome?: Outcome): Promise<void>;
  /** Ends the time of the service, before the end of the call. */
  measured(): void;
}

/** Lets calls of one service begin, within a limit that the server finds for all callers. */
export class AdaptiveLimit {
  constructor(client: Client, key: string | Buffer, options?: AdaptiveOptions);
  /**
   * Asks whether a call may begin. The promise is rejected with LimitReached if it must not. Without an answer
   * of the server, calls begin up to the ceiling.
   */
  enter(): Promise<Leave>;
  /** Runs a call if it may begin, and reports how it ended. A result with a status is a reply of HTTP. */
  run<Result>(call: () => Promise<Result> | Result): Promise<Result>;
  /** Returns fetch, or the request of undici, within the limit. A call ends with the header of its reply. */
  wrap(): typeof fetch;
  wrap<Arguments extends unknown[], Result>(
    request: (...args: Arguments) => Promise<Result>,
  ): (...args: Arguments) => Promise<Result>;
  /** Returns middleware for Express and Connect: a request that must not begin has the status 503. */
  express(): (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void;
}

/** As many calls as the limit are under way. Do not retry at once. */
export class LimitReached extends Error {
  readonly status: 503;
}
