// The page asks /status once a second, and shows what it says.

import { ask, hasToken, setToken } from "/api.js";
import { Flow, spark } from "/chart.js";
import { ago, bytes, count, duration, nanos, percent, rate } from "/format.js";
import { History, minutes, room } from "/history.js";
import { Rules } from "/rules.js";
import { Table, cell, head, list, set } from "/table.js";

const every = 1000;
const afterFailure = 3000;
const rulesEvery = 10; // seconds
const hour = 60; // minutes

const by = (id) => document.getElementById(id);
const history = new History();
const rules = new Rules(history, say);
const flow = new Flow(by("flow"), room, Array.from({ length: minutes + 1 }, (_, i) => (i === minutes ? "now" : `${minutes - i} min`)), rate);

const numbers = (row, names) => names.map((name) => cell(row, "n", name));
const commands = new Table(
  by("commands"),
  (row, c) => (head(row, c.name.toUpperCase()), numbers(row, ["Allowed/s", "Refused/s", "All"])),
  ([allowed, refused, all], c) => {
    set(allowed, rate(c.perSecond.allowed));
    set(refused, rate(c.perSecond.limited), c.perSecond.limited > 0 ? "n some" : "n none");
    set(all, count(c.allowed + c.limited + c.looked));
  },
);
const top = new Table(
  by("top"),
  (row, k) => [(cell(row, "key").textContent = k.name), cell(row, "n")],
  ([, times], k) => set(times, k.over > 0 ? `${count(k.times - k.over)} to ${count(k.times)}` : count(k.times)),
);
const adaptive = new Table(
  by("adaptive"),
  (row, k) => {
    head(row, k.name).className = "key";
    const cells = numbers(row, ["Limit", "In flight", "Latency", "Base", "Refused"]);
    const sparks = ["Limit, last hour", "Latency, last hour"].map((name) => {
      const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
      svg.setAttribute("class", "spark");
      svg.setAttribute("role", "img");
      svg.setAttribute("aria-label", name);
      cell(row, "", name).append(svg);
      return svg;
    });
    return [...cells, ...sparks];
  },
  ([limit, calls, latency, base, refused, limits, latencies], k) => {
    set(limit, count(k.limit), k.limit <= k.least && k.refused > 0 ? "n some" : "n");
    set(calls, count(k.inflight));
    set(latency, k.latency_us > 0 ? nanos(k.latency_us * 1000).join(" ") : "–");
    set(base, k.base_us > 0 ? nanos(k.base_us * 1000).join(" ") : "–");
    set(refused, count(k.refused), k.refused > 0 ? "n some" : "n none");
    spark(limits, hour, [["", k.points.map((p) => p[0])]]);
    spark(latencies, hour, [["", k.points.map((p) => p[3])]]);
  },
);
const nodes = new Table(
  by("nodes"),
  (row, n) => (head(row, n.name), [cell(row, ""), cell(row, "n")]),
  ([state, applied], n) => {
    const words = [n.leads ? "leads" : "follows", !n.voter && "joins", !n.healthy && "not heard of", n.self && "this node"].filter(Boolean);
    set(state, words.join(", "), n.healthy ? "" : "bad");
    set(applied, n.applied_index > 0 ? n.applied_index.toLocaleString("en") : "–");
  },
);

const holders = new Table(
  by("holders"),
  (row, h) => (head(row, h.name), numbers(row, ["Questions/s", "Units/s", "Units"])),
  ([asks, units, all], h) => {
    set(asks, rate(h.perSecond.asks));
    set(units, rate(h.perSecond.granted));
    set(all, count(h.granted));
  },
);

// say tells news to people who hear the page.
function say(text) {
  set(by("news"), text);
}

function showState(kind, text) {
  if (by("state").dataset.state !== kind) by("state").dataset.state = kind;
  if (by("state-text").textContent !== text) {
    set(by("state-text"), text);
    say(text);
  }
}

// condition returns how the server is: a kind, and a sentence.
function condition(s) {
  const p = s.persistence;
  if (p.loading) return ["warn", "Loads its data"];
  if (p.aof_last_write_status === "err") return ["bad", "The log cannot be written"];
  if (p.rdb_last_bgsave_status === "err") return ["bad", "The last snapshot failed"];
  if (s.cluster && s.cluster.state === "down") return ["bad", "No leader"];
  if (s.master?.link === "stopped") return ["bad", "The move from the master has stopped"];
  if (s.master?.link === "down") return ["warn", "The link to the master is down"];
  if (s.cluster && s.cluster.state === "joining") return ["warn", "Joins the cluster"];
  if (s.cluster && s.cluster.nodes.some((n) => !n.healthy)) return ["warn", "A node is missing"];
  return ["good", "Works"];
}

function showTiles(s, now) {
  set(by("decisions"), rate(now.decisions));
  set(by("decisions-under"), `${count(now.all)} in all`);
  set(by("refused"), rate(now.refused), "");
  by("refused").parentElement.classList.toggle("some", now.refused > 0);
  set(by("refused-under"), `${percent(now.refused, now.decisions)} of all now, ${percent(now.allRefused, now.all)} so far`);
  const [p50, p99, p999] = now.latency ?? [];
  const [value, unit] = now.latency ? nanos(p99) : ["–", ""];
  set(by("p99"), value);
  set(by("p99-unit"), unit);
  set(by("latency-under"), now.latency ? `p50 ${nanos(p50).join(" ")}, p99.9 ${nanos(p999).join(" ")} in the last 10 s` : "no decision in the last 10 s");
  spark(by("p99-spark"), room, [["", history.p99]]);
  const use = s.server;
  const [memory, memoryUnit] = bytes(use.memory);
  set(by("memory"), memory);
  set(by("memory-unit"), memoryUnit);
  const of = use.memory_max > 0 ? `${percent(use.memory, use.memory_max)} of ${bytes(use.memory_max).join(" ")}` : "no limit";
  set(by("memory-under"), `${of}, process ${bytes(use.memory_resident).join(" ")}`);
  spark(by("memory-spark"), room, [["", history.memory]]);
  set(by("keys"), count(use.keys));
  set(by("keys-under"), `${count(use.keys_expired)} expired, ${count(use.keys_evicted)} evicted so far`);
  spark(by("keys-spark"), room, [["", history.keys]]);
}

function showAbout(s, now) {
  set(by("version"), `version ${s.version}`);
  set(by("uptime"), `up ${duration(s.uptime_ms / 1000)}`);
  const role = !s.cluster ? "one server" : s.cluster.leads ? "leads a cluster" : "follows in a cluster";
  set(by("role"), `${role} · ${count(s.server.clients)} clients · ${rate(now ? now.calls : 0)} commands/s · ${percent(now ? now.cpu : 0, 1)} of a core`);
}

function showDisk(p) {
  const logged = p.aof_enabled === 1;
  const failed = (name) => p[name] !== undefined && p[name] !== "ok";
  const pairs = [
    ["Append-only file", logged ? (failed("aof_last_write_status") ? "cannot be written" : `on, ${bytes(p.aof_current_size ?? 0).join(" ")}`) : "off", failed("aof_last_write_status")],
    ["Last snapshot", failed("rdb_last_bgsave_status") ? "failed" : p.rdb_last_save_time ? ago(Date.now() / 1000 - p.rdb_last_save_time) : "–", failed("rdb_last_bgsave_status")],
    ["Changes since then", count(p.rdb_changes_since_last_save ?? 0)],
    ["Runs now", [p.rdb_bgsave_in_progress && "a snapshot", p.aof_rewrite_in_progress && "a rewrite of the log"].filter(Boolean).join(", ") || "nothing"],
  ];
  list(by("disk"), pairs);
}

// followed returns the line about the server that this one follows, if it does.
function followed(m) {
  if (!m) return [];
  const link = { up: "the link is up", copying: "takes a full copy", down: "the link is down: see INFO replication", stopped: "stopped: see INFO replication", elsewhere: "the leader follows it" }[m.link];
  const left = m.left_out && `; left out: ${m.left_out}`;
  const copies = m.full_copies > 1 ? `; ${count(m.full_copies)} full copies` : "";
  return [["Follows", `${m.address}, ${link}${copies}${left}`, m.link === "stopped" || m.link === "down"]];
}

function showCluster(c, master) {
  if (!c) {
    list(by("cluster"), [["State", "This server is alone"], ...followed(master)]);
    by("nodes").hidden = true;
    return;
  }
  list(by("cluster"), [
    ["State", { ok: "has a leader", down: "no leader is known", joining: "this node joins" }[c.state], c.state === "down"],
    ["Term", count(c.term)],
    ["Commit, p99", c.commit_usec_p99 > 0 ? `up to ${nanos(c.commit_usec_p99 * 1000).join(" ")}` : "–"],
    ["Waits for a majority", bytes(c.lag_bytes).join(" ")],
    ...followed(master),
  ]);
  nodes.show(c.nodes.map((n) => ({ ...n, name: n.address })));
}

// showLeases shows who leases units of limits: sidecars, and libraries in the processes of applications.
function showLeases(leases) {
  by("leases").hidden = leases.asks === 0 && leases.holders.length === 0;
  list(by("leases-all"), [
    ["Sidecars", count(leases.sidecars)],
    ["Leased", `${count(leases.granted)} units in ${count(leases.asks)} ${leases.asks === 1 ? "question" : "questions"}`],
    ["Given back", `${count(leases.returned)} units`],
  ]);
  holders.show(leases.holders);
}

function showTop(reply) {
  const keys = reply.limited_keys ?? [];
  top.show(keys.map((k) => ({ ...k, name: k.key })));
  by("top-empty").hidden = keys.length > 0;
  set(by("top-empty"), reply.shows_keys ? "No key has been refused." : "The names of keys are hidden. CONFIG SET http-page-keys yes shows them.");
}

let tick = 0;

function show(reply) {
  const s = reply.status;
  const now = history.add(s);
  showAbout(s, now);
  showState(...condition(s));
  showDisk(s.persistence);
  showCluster(s.cluster, s.master);
  showTop(reply);
  adaptive.show(s.adaptive ?? []);
  by("adaptive-card").hidden = !s.adaptive?.length;
  rules.watch(s.rules_source);
  if (!now) return;
  showTiles(s, now);
  rules.count(now.rules, reply.may_write);
  const called = now.commands.filter((c) => c.allowed + c.limited + c.looked > 0);
  commands.show(called);
  showLeases({ ...s.leases, holders: now.holders });
  by("commands-empty").hidden = called.length > 0;
  flow.draw(history.decisions, history.refused);
  if (tick % 15 === 0) {
    by("flow").setAttribute("aria-label", `Decisions per second of the last five minutes. Now ${rate(now.decisions)}, of these ${rate(now.refused)} refused.`);
  }
}

let timer = 0;
let paused = false;

async function round() {
  clearTimeout(timer);
  let next = every;
  const begun = performance.now();
  try {
    show(await ask("/status"));
    if (tick++ % rulesEvery === 0) await rules.load();
    by("login").hidden = true;
  } catch (err) {
    next = afterFailure;
    if (err.status === 401) {
      askToken();
      return;
    }
    showState("bad", err.status ? err.message : "No connection");
  }
  again(next - (performance.now() - begun));
}

function again(after) {
  clearTimeout(timer);
  if (!paused && !document.hidden) timer = setTimeout(round, Math.max(after, 100));
}

function askToken() {
  showState("warn", "Needs a token");
  set(by("login-error"), hasToken() ? "This token is wrong." : "");
  by("login").hidden = false;
  by("token").focus();
}

by("login-form").addEventListener("submit", (event) => {
  event.preventDefault();
  setToken(by("token").value);
  by("token").value = "";
  round();
});
by("pause").addEventListener("click", () => {
  paused = !paused;
  by("pause").setAttribute("aria-pressed", String(paused));
  set(by("pause"), paused ? "Go on" : "Pause");
  if (paused) showState("warn", "Paused");
  again(0);
});
document.addEventListener("visibilitychange", () => again(0));
round();
