/** A rule with its key, or with a key for each of its scopes. */
export type RuleQuestion = { rule: string; key: string } | { rule: string; keys: Record<string, string> };

/** A limit in words, such as '100/minute'. Its counts are under `rl:100/minute:KEY` on the server. */
export type LimitQuestion = { limit: string; key: string };

/** What an action asks. `quantity` is 1 without it, and `peek` counts nothing. */
export type HttpQuestion = (RuleQuestion | { rules: RuleQuestion[] } | LimitQuestion) & {
  quantity?: number;
  peek?: boolean;
};

export interface HttpOptions {
  /** Milliseconds that a request waits for a decision; 250 by default. */
  timeout?: number;
  /** Refuses with 503 while there is no decision. By default the action is allowed. */
  failClosed?: boolean;
  /** The http-token of the server. */
  token?: string;
  /** 'user:password' for a proxy before the server. */
  basic?: string;
  /** Is called for each request without a decision. By default one of them is logged every 10 seconds. */
  onError?: (error: any) => void;
}

/** The reply of the rules. Its numbers are those of the tightest limit; without a decision it has none. */
export interface HttpDecision {
  readonly allowed: boolean;
  /** 200, 429, or 503 without a decision. */
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly limit?: number;
  readonly remaining?: number;
  /** Seconds until the same action is allowed; null if it is allowed or no wait helps. */
  readonly retryAfter?: number | null;
  /** Why there is no decision. */
  readonly error?: unknown;
  /** Returns the reply to a refused request. */
  response(): Response;
}

/** Asks rules about one action, over the HTTP port of a server. */
export function check(url: string, question: HttpQuestion, options?: HttpOptions): Promise<HttpDecision>;
