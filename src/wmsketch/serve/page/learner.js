// A learner: its error beside the base rate, the heaviest features, one feature, and a row to predict.

import { ask, jobPath, send } from "./api.js";
import { announcer, element, replace } from "./dom.js";
import { bytes, count, number, percent, rate } from "./format.js";
import { weightBar, weights } from "./tables.js";

const EVERY = 2000;

export class LearnerView {
  constructor(place, job, settings, onSettings) {
    this.name = job.name;
    this.place = place;
    this.tiles = element("div", { class: "card tiles" });
    this.top = element("div", {}, element("div", { class: "empty" }, "No rows yet."));
    this.found = element("div");
    this.verdict = element("div");
    this.spoken = announcer();
    this.order = settings.get("order") ?? "weight";
    this.choice = element("span", { class: "choice", role: "group", "aria-label": "Order of the features" });
    this.names = element("datalist", { id: "features" });
    this.search = element("input", { type: "search", list: "features", "aria-label": "Search a feature" });
    this.row = element("textarea", { "aria-label": "A row as JSON", spellcheck: "false" });
    this.row.value = settings.get("row") ?? "";
    this.search.value = settings.get("feature") ?? "";
    this.settle = () => onSettings({ feature: this.search.value || null, order: this.order === "weight" ? null : this.order, row: this.asked ?? null });
    this.search.addEventListener("input", () => { this.settle(); this.lookUp(); });
    replace(place,
      element("div", { class: "title" }, element("h2", {}, job.name), element("span", { class: "soft" }, "learner")),
      this.tiles,
      element("section", { class: "card" }, element("div", { class: "title" }, element("h3", {}, "Heaviest features"), this.choice), this.top),
      element("div", { class: "two" },
        element("section", { class: "card" }, element("h3", {}, "One feature"), element("div", { class: "controls" }, this.search, this.names), this.found),
        element("section", { class: "card" }, element("h3", {}, "Predict a row"), this.row,
          element("div", { class: "controls" }, element("button", { type: "button", onclick: () => this.predict() }, "Predict")), this.verdict, this.spoken.element)));
    this.showOrder();
    this.refresh();
    this.timer = setInterval(() => this.refresh(), EVERY);
    if (this.search.value) this.lookUp();
  }

  stop() { clearInterval(this.timer); }

  update(job) {
    const ofNumbers = job.mae !== undefined, shown = ofNumbers ? number : percent;
    const [error, base] = ofNumbers ? [job.mae, job.base_mae] : [job.error_rate, job.base_error_rate];
    const better = error !== null && error < base;
    const tile = (value, text) => element("div", { class: "tile" }, element("b", {}, value), element("span", {}, text));
    replace(this.tiles,
      tile(shown(error), `${ofNumbers ? "mean online" : "online"} error${better ? "" : " (no better than the baseline)"}`),
      tile(shown(base), ofNumbers ? "error of the running mean" : "error of the commonest label"),
      tile(count(job.examples), "rows learned"), tile(rate(job.rows_per_second), "rows per second"),
      tile(bytes(job.nbytes), `of ${bytes(job.budget_bytes)}`),
      job.waiting === undefined ? null : tile(count(job.waiting), `rows wait for a label, ${count(job.expired)} expired`),
      job.rows_refused ? tile(count(job.rows_refused), `rows refused: ${job.last_problem}`) : null);
  }

  async refresh() {
    try {
      const { rows, history, since } = await ask(`${jobPath(this.name)}/top`, { k: 200 });
      if (!rows.length) return;
      replace(this.top, weights(rows, history, since, this.order === "change"));
      this.suggest(rows.map((row) => String(row.feature)));
    } catch { /* the service is away; the connection says so */ }
  }

  showOrder() {
    const button = (text, order) => element("button", { type: "button", "aria-pressed": String(this.order === order),
      onclick: () => { this.order = order; this.settle(); this.showOrder(); this.refresh(); } }, text);
    replace(this.choice, button("By weight", "weight"), button("By change", "change"));
  }

  // Features to search for, and a row to predict until somebody writes another: the heaviest category of each column.
  suggest(features) {
    this.search.placeholder = features[0];
    replace(this.names, features.map((feature) => element("option", { value: feature })));
    if (this.row.value) return;
    const row = {};
    for (const feature of features.filter((each) => each.includes("="))) row[feature.split("=")[0]] ??= feature.slice(feature.indexOf("=") + 1);
    this.row.value = JSON.stringify(row);
  }

  async lookUp() {
    const feature = this.search.value;
    if (!feature) { replace(this.found); return; }
    try {
      const row = await ask(`${jobPath(this.name)}/feature`, { feature });
      const range = row.low === null ? "" : ` (95 % range ${number(row.low)} to ${number(row.high)})`;
      replace(this.found, element("p", {}, `${row.feature}: weight ${number(row.weight)}${range}`));
    } catch (problem) { replace(this.found, element("p", { class: "problem" }, problem.message)); }
  }

  async predict() {
    try {
      const { predictions: [found] } = await send(`${jobPath(this.name)}/predict?reasons=10`, JSON.parse(this.row.value));
      this.asked = this.row.value;
      this.settle();
      const most = Math.max(1e-9, ...found.reasons.map((each) => Math.abs(each.contribution)));
      const chance = Object.entries(found.probabilities ?? {}).map(([label, p]) => `${label} ${percent(p)}`).join(", ");
      const label = found.probabilities ? String(found.label) : number(found.label);
      replace(this.verdict, element("p", { class: "verdict" }, element("b", {}, label), chance && ` — ${chance}`),
        element("table", {}, element("tbody", {}, found.reasons.map((each) => element("tr", {},
          element("td", { class: "feature" }, String(each.feature)),
          element("td", {}, weightBar({ weight: each.contribution, low: null, high: null }, most)),
          element("td", { class: "number" }, number(each.contribution)))))));
      this.spoken.say(chance ? `${label}: ${chance}` : label);
    } catch (problem) { replace(this.verdict, element("p", { class: "problem", role: "alert" }, problem.message)); }
  }
}
