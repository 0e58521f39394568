// What the page remembers of the replies of /status: a bounded number of rates.

export const minutes = 5;
export const room = 60 * minutes; // one value each second
const rowRoom = 60;
const latencyWindow = 10;

// push adds a value to a list of bounded length.
export function push(list, value, most) {
  list.push(value);
  if (list.length > most) list.shift();
}

// percentiles returns the durations that these parts of the decisions between two histograms did not exceed; null if
// there was none.
function percentiles(before, now, parts) {
  const old = new Map(before);
  const buckets = now.map(([end, n]) => [end, Math.max(n - (old.get(end) ?? 0), 0)]);
  const all = buckets.reduce((sum, [, n]) => sum + n, 0);
  if (all === 0) return null;
  return parts.map((part) => {
    let seen = 0;
    for (const [end, n] of buckets) if ((seen += n) >= part * all) return end;
    return buckets.at(-1)[0];
  });
}

// holdersOf returns who leases. The address makes a name the only one of its kind.
const holdersOf = (status) => status.leases.holders.map((h) => ({ ...h, name: `${h.name || (h.sidecar ? "sidecar" : "library")} ${h.address}` }));

const total = (items, field) => items.reduce((sum, item) => sum + item[field], 0);

export class History {
  constructor() {
    this.decisions = [];
    this.refused = [];
    this.p99 = [];
    this.memory = [];
    this.keys = [];
    this.histograms = [];
    this.rules = new Map(); // name: the rates of the last minute
    this.last = null;
  }

  // add takes a reply, and returns the rates since the previous one; null for the first one.
  add(status) {
    const last = this.last;
    this.last = status;
    const seconds = last ? (status.uptime_ms - last.uptime_ms) / 1000 : 0;
    if (!last || last.run_id !== status.run_id || seconds <= 0 || seconds > 30) {
      this.histograms = [status.decision_ns];
      return null;
    }
    const per = (items, before, fields) => {
      const old = new Map(before.map((item) => [item.name, item]));
      return items.map((item) => {
        const was = old.get(item.name);
        const rate = (field) => (was ? Math.max(item[field] - was[field], 0) / seconds : 0);
        return { ...item, perSecond: Object.fromEntries(fields.map((field) => [field, rate(field)])) };
      });
    };
    const commands = per(status.commands, last.commands, ["allowed", "limited"]);
    const rules = per(status.rules, last.rules, ["allowed", "limited", "shadow_limited"]);
    const holders = per(holdersOf(status), holdersOf(last), ["asks", "granted"]);
    const refused = commands.reduce((sum, c) => sum + c.perSecond.limited, 0);
    const decisions = refused + commands.reduce((sum, c) => sum + c.perSecond.allowed, 0);
    push(this.decisions, decisions, room);
    push(this.refused, refused, room);
    push(this.memory, status.server.memory, room);
    push(this.keys, status.server.keys, room);
    push(this.histograms, status.decision_ns, latencyWindow + 1);
    const latency = percentiles(this.histograms[0], status.decision_ns, [0.5, 0.99, 0.999]);
    push(this.p99, latency ? latency[1] : 0, room);
    this.keep(rules);
    const usage = status.server;
    return {
      decisions, refused, latency, commands, rules, holders,
      cpu: Math.max(usage.cpu_seconds - last.server.cpu_seconds, 0) / seconds,
      calls: Math.max(usage.commands - last.server.commands, 0) / seconds,
      all: total(status.commands, "allowed") + total(status.commands, "limited"),
      allRefused: total(status.commands, "limited"),
    };
  }

  // keep remembers the rates of rules, and forgets rules that are gone.
  keep(rules) {
    const names = new Set(rules.map((rule) => rule.name));
    for (const name of this.rules.keys()) if (!names.has(name)) this.rules.delete(name);
    for (const { name, perSecond } of rules) {
      let kept = this.rules.get(name);
      if (!kept) this.rules.set(name, (kept = { allowed: [], limited: [] }));
      push(kept.allowed, perSecond.allowed, rowRoom);
      push(kept.limited, perSecond.limited + perSecond.shadow_limited, rowRoom);
    }
  }
}

export { rowRoom };
