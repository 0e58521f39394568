// The table of rules, and the form that changes one.

import { ask, pathOf } from "/api.js";
import { spark } from "/chart.js";
import { count, percent, rate } from "/format.js";
import { rowRoom } from "/history.js";

import { Table, cell, head, set } from "/table.js";
import { Trial } from "/trial.js";

const by = (id) => document.getElementById(id);
const mostRows = 100;
const filterFrom = 12; // rules

export class Rules {
  // say tells the person news.
  constructor(history, say) {
    this.history = history;
    this.say = say;
    this.listed = new Map(); // name: limits and source
    this.counted = [];
    this.writes = false;
    this.trouble = ""; // why the rules are not known
    this.table = new Table(by("rules"), (row, rule) => this.make(row, rule), (parts, rule) => this.change(parts, rule));
    by("filter").addEventListener("input", () => this.show());
    by("new-rule").addEventListener("click", () => this.open(null));
    by("rule-cancel").addEventListener("click", () => by("rule").close());
    by("rule-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.save();
    });
    by("rule-delete").addEventListener("click", () => this.remove());
    this.trial = new Trial(() => this.limits(), say);
    by("rule-limits").addEventListener("input", () => this.trial.typed());
    by("rule").addEventListener("close", () => this.trial.end());
  }

  // load asks for the limits of all rules.
  async load() {
    try {
      const { rules } = await ask("/rules");
      this.listed = new Map(rules.map((rule) => [rule.name, rule]));
      this.trouble = "";
    } catch (err) {
      if (!err.status || err.status === 401) throw err;
      this.trouble = err.message; // such as a node that does not lead
    }
    this.show();
  }

  // watch takes the state of the rules-file or the rules-url, null for none.
  watch(source) {
    const failing = by("rules-source");
    failing.hidden = !source?.failing;
    if (source?.failing) set(failing, `The rules-${source.kind} is refused, and the previous rules stay in force: ${source.error}`);
  }

  // count takes the counters of /status, with rates.
  count(rules, writes) {
    this.counted = rules;
    this.writes = writes;
    this.show();
  }

  show() {
    const none = { allowed: 0, limited: 0, shadow_limited: 0, perSecond: { allowed: 0, limited: 0, shadow: 0 } };
    const counts = new Map(this.counted.map((rule) => [rule.name, rule]));
    const all = [...this.listed.values()].map((rule) => ({ ...none, ...counts.get(rule.name), ...rule }));
    const wanted = by("filter").value.trim().toLowerCase();
    const shown = all.filter((rule) => rule.name.toLowerCase().includes(wanted));
    this.table.show(shown.slice(0, mostRows));
    by("filter").hidden = all.length < filterFrom;
    by("new-rule").hidden = !this.writes;
    const empty = by("rules-empty");
    empty.hidden = !this.trouble && shown.length > 0 && shown.length <= mostRows;
    if (this.trouble) set(empty, this.trouble);
    else if (all.length === 0) set(empty, "There are no rules. CL.RULE SET makes one.");
    else if (shown.length === 0) set(empty, "No rule has this text in its name.");
    else if (!empty.hidden) set(empty, `These are the first ${mostRows} of ${shown.length} rules. The filter finds the others.`);
  }

  make(row, rule) {
    const title = head(row, rule.name);
    const mark = document.createElement("span");
    mark.className = "mark";
    title.append(mark);
    const limits = document.createElement("span");
    const command = document.createElement("small");
    cell(row, "limits").append(limits, command);
    const allowed = cell(row, "n", "Allowed/s");
    const refused = cell(row, "n", "Refused/s");
    const all = cell(row, "n total", "Refused, all");
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("class", "spark");
    svg.setAttribute("aria-hidden", "true");
    cell(row, "wide").append(svg);
    const button = document.createElement("button");
    button.type = "button";
    button.className = "small";
    button.textContent = "Change";
    button.setAttribute("aria-label", `Change the rule ${rule.name}`);
    button.addEventListener("click", () => this.open(rule.name));
    cell(row, "act").append(button);
    return { mark, limits, command, allowed, refused, all, svg, button };
  }

  change(parts, rule) {
    const shadow = isShadow(rule.limits);
    const marks = [shadow && "shadow", rule.source === "file" && "file", rule.hides && "hides the file", rule.overrides > 0 && `${rule.overrides} overrides`].filter(Boolean);
    set(parts.mark, marks.join(" · "));
    parts.mark.hidden = marks.length === 0;
    set(parts.limits, withoutShadow(inWords(rule)));
    set(parts.command, rule.words ? withoutShadow(rule.limits) : "");
    const limited = rule.perSecond.limited + rule.perSecond.shadow_limited;
    set(parts.allowed, rate(rule.perSecond.allowed));
    set(parts.refused, rate(limited), limited > 0 ? "n some" : "n none");
    const refused = rule.limited + rule.shadow_limited;
    set(parts.all, `${count(refused)} · ${percent(refused, refused + rule.allowed)}`);
    const kept = this.history.rules.get(rule.name);
    if (kept) spark(parts.svg, rowRoom, [["allowed", kept.allowed], ["refused", kept.limited]], 1);
    parts.button.hidden = !this.writes;
    parts.mark.title = rule.hides ? `The rule of the file, which is not in force: ${rule.hides}` : "";
  }

  // open opens the form for a rule, or for a new one.
  open(name) {
    const rule = this.listed.get(name);
    this.name = name;
    set(by("rule-title"), rule ? `Rule ${name}` : "New rule");
    by("rule-name").value = name ?? "";
    by("rule-name").readOnly = Boolean(rule);
    by("rule-limits").value = rule ? withoutShadow(inWords(rule)) : "100/minute";
    by("rule-command").hidden = !rule?.words;
    set(by("rule-command"), rule ? `In force as ${withoutShadow(rule.limits)}` : "");
    by("rule-shadow").checked = rule ? isShadow(rule.limits) : false;
    by("rule-delete").hidden = rule?.source !== "key";
    set(by("rule-delete"), rule?.hides ? "Use the rule of the file" : "Delete");
    const hidden = by("rule-hides");
    hidden.hidden = !rule || (rule.source === "key" && !rule.hides);
    if (rule?.hides) set(hidden, `This rule hides that of the file, and changes of the file do nothing. The file says: ${rule.hides}`);
    else if (rule) set(hidden, "This rule is in the file. Save makes a rule that hides it: later changes of the file then do nothing.");
    set(by("rule-error"), "");
    by("rule").showModal();
    by(rule ? "rule-limits" : "rule-name").focus();
    if (rule) this.trial.begin(name);
  }

  // limits returns the limits in the form, as words of CL.RULE SET.
  limits() {
    return by("rule-limits").value.trim() + (by("rule-shadow").checked ? " SHADOW" : "");
  }

  async save() {
    const name = this.name ?? by("rule-name").value.trim();
    const put = () => ask(pathOf("rules", name), "PUT", { limits: this.limits() });
    await this.send(put, () => `The rule ${name} is in force as ${this.listed.get(name)?.limits ?? "written"}.`);
  }

  async remove() {
    const back = this.listed.get(this.name)?.hides;
    if (!back && !confirm(`Delete the rule ${this.name}? Its requests then need the rule default.`)) return;
    const news = back ? `The rule ${this.name} of the file is in force again.` : `The rule ${this.name} is deleted.`;
    await this.send(() => ask(pathOf("rules", this.name), "DELETE"), () => news);
  }

  // send sends a change, and tells the person what news returns.
  async send(request, news) {
    const buttons = [by("rule-save"), by("rule-delete")];
    for (const b of buttons) b.disabled = true;
    try {
      await request();
      await this.load();
      by("rule").close();
      this.say(news());
    } catch (err) {
      set(by("rule-error"), err.message);
    } finally {
      for (const b of buttons) b.disabled = false;
    }
  }
}

const inWords = (rule) => rule.words ?? rule.limits;
const isShadow = (limits) => /\sshadow$/i.test(limits);
const withoutShadow = (limits) => limits.replace(/\s+shadow$/i, "");
