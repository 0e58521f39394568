// The worker of README.md, which http.test.mjs runs.
import { check } from 'cellserver-ratelimit/http';

export default {
  async fetch(request, env) {
    const key = request.headers.get('CF-Connecting-IP') ?? 'unknown';
    const decision = await check(env.LIMITS_URL, { rule: 'login', key }, { token: env.LIMITS_TOKEN });
    if (!decision.allowed) return decision.response(); // 429 with Retry-After
    return new Response('hello', { headers: decision.headers });
  },
};
