// What if: a replay of the last minute of a rule with the limits in the form.

import { ask, pathOf } from "/api.js";
import { count, percent } from "/format.js";
import { set } from "/table.js";

const by = (id) => document.getElementById(id);
const every = 2000;
const afterTyping = 500;
const widest = 45; // per cent of the line

export class Trial {
  // limits returns the limits in the form. say tells the person news.
  constructor(limits, say) {
    this.limits = limits;
    this.say = say;
    this.timer = 0;
    this.name = null;
  }

  // begin tries the limits of the form again and again, until end.
  begin(name) {
    this.name = name;
    this.told = this.limits();
    by("trial").hidden = false;
    this.show({ millis: 0, asked: 0, limited_by_rule: 0, limited_on_trial: 0 });
    this.round();
  }

  end() {
    this.name = null;
    clearTimeout(this.timer);
    by("trial").hidden = true;
  }

  // typed is called when the form has changed.
  typed() {
    clearTimeout(this.timer);
    if (this.name) this.timer = setTimeout(() => this.round(), afterTyping);
  }

  async round() {
    clearTimeout(this.timer);
    const name = this.name;
    const limits = this.limits();
    let text = "";
    try {
      const found = await ask(pathOf("try", name), "POST", { limits });
      if (this.name === name && this.limits() === limits) text = this.show(found);
    } catch (err) {
      if (this.name === name) set(by("trial-text"), err.message);
    }
    if (text && this.told !== limits) {
      this.told = limits;
      this.say(text);
    }
    if (this.name === name) {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.round(), document.hidden ? 5 * every : every);
    }
  }

  show(t) {
    const most = Math.max(t.limited_by_rule, t.limited_on_trial, 1);
    for (const [id, n] of [["same", t.limited_by_rule], ["other", t.limited_on_trial]]) {
      by(`trial-${id}`).style.width = `${(widest * n) / most}%`;
      set(by(`trial-${id}-text`), `${count(n)} refused, ${percent(n, t.asked)}`);
    }
    const seconds = Math.round(t.millis / 1000);
    const text =
      t.asked === 0
        ? "The server keeps the requests of this rule while the form is open. They appear here."
        : `A replay of the ${count(t.asked)} requests of the last ${seconds} s. Both begin with nothing used. Nobody is refused by it.`;
    set(by("trial-text"), text);
    return t.asked === 0 ? "" : `These limits refuse ${count(t.limited_on_trial)} of ${count(t.asked)} requests, those in force ${count(t.limited_by_rule)}.`;
  }
}
