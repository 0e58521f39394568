// Requests to the server, with the token of this tab.

const place = "cellserver-token";

export class Refused extends Error {
  constructor(status, text) {
    super(text);
    this.status = status;
  }
}

export const hasToken = () => sessionStorage.getItem(place) !== null;
export const setToken = (token) => sessionStorage.setItem(place, token);

// pathOf returns the path of a rule. The rule "a/../b" is not the rule "b".
export const pathOf = (what, name) => `/${what}/${encodeURIComponent(name)}`;

// ask sends a request and returns the JSON of its reply.
export async function ask(path, method = "GET", body) {
  const headers = {};
  if (hasToken()) headers["X-Cellserver-Token"] = sessionStorage.getItem(place);
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const reply = await fetch(path, {
    method,
    headers,
    body: body === undefined ? undefined : JSON.stringify(body),
    cache: "no-store",
    credentials: "omit",
    signal: AbortSignal.timeout(8000),
  });
  const text = await reply.text();
  if (reply.ok) return JSON.parse(text);
  let detail = text.trim();
  try {
    const problem = JSON.parse(text);
    detail = problem.detail || problem.title;
  } catch {} // the text is not JSON, and is the detail itself
  throw new Refused(reply.status, detail || `status ${reply.status}`);
}
