// A learner: its error beside the base rate, the heaviest features, one feature, and a row to predict.

import { ask, jobPath, send } from "./api.js";
import { element, replace } from "./dom.js";
import { bytes, count, percent, rate } from "./format.js";
import { weightBar, weights } from "./tables.js";

const EVERY = 2000;

export class LearnerView {
  constructor(place, job, settings, onSettings) {
    this.name = job.name;
    this.place = place;
    this.tiles = element("div", { class: "card tiles" });
    this.top = element("div", {}, element("div", { class: "empty" }, "No rows yet."));
    this.found = element("div");
    this.verdict = element("div", { "aria-live": "polite" });
    this.search = element("input", { type: "search", placeholder: "city=Rome", "aria-label": "Search a feature" });
    this.row = element("textarea", { "aria-label": "A row as JSON", spellcheck: "false" });
    this.row.value = settings.get("row") ?? '{"city": "Rome"}';
    this.search.value = settings.get("feature") ?? "";
    const settle = () => onSettings({ feature: this.search.value || null });
    this.search.addEventListener("input", () => { settle(); this.lookUp(); });
    replace(place,
      element("div", { class: "title" }, element("h2", {}, job.name), element("span", { class: "soft" }, "learner")),
      this.tiles,
      element("section", { class: "card" }, element("h3", {}, "Heaviest features"), this.top),
      element("div", { class: "two" },
        element("section", { class: "card" }, element("h3", {}, "One feature"), element("div", { class: "controls" }, this.search), this.found),
        element("section", { class: "card" }, element("h3", {}, "Predict a row"), this.row,
          element("div", { class: "controls" }, element("button", { type: "button", onclick: () => this.predict() }, "Predict")), this.verdict)));
    this.refresh();
    this.timer = setInterval(() => this.refresh(), EVERY);
    if (this.search.value) this.lookUp();
  }

  stop() { clearInterval(this.timer); }

  update(job) {
    const better = job.error_rate !== null && job.error_rate < job.base_error_rate;
    const tile = (value, text) => element("div", { class: "tile" }, element("b", {}, value), element("span", {}, text));
    replace(this.tiles,
      tile(percent(job.error_rate), `online error${better ? "" : " (no better than the base rate)"}`),
      tile(percent(job.base_error_rate), "error of the commonest label"),
      tile(count(job.examples), "rows learned"), tile(rate(job.rows_per_second), "rows per second"),
      tile(bytes(job.nbytes), `of ${bytes(job.budget_bytes)}`),
      job.waiting === undefined ? null : tile(count(job.waiting), `rows wait for a label, ${count(job.expired)} expired`),
      job.rows_refused ? tile(count(job.rows_refused), `rows refused: ${job.last_problem}`) : null);
  }

  async refresh() {
    try {
      const { rows, history } = await ask(`${jobPath(this.name)}/top`, { k: 200 });
      if (rows.length) replace(this.top, weights(rows, history));
    } catch { /* the service is away; the connection says so */ }
  }

  async lookUp() {
    const feature = this.search.value;
    if (!feature) { replace(this.found); return; }
    try {
      const row = await ask(`${jobPath(this.name)}/feature`, { feature });
      const range = row.low === null ? "" : ` (95 % range ${row.low.toFixed(3)} to ${row.high.toFixed(3)})`;
      replace(this.found, element("p", {}, `${row.feature}: weight ${row.weight.toFixed(4)}${range}`));
    } catch (problem) { replace(this.found, element("p", { class: "problem" }, problem.message)); }
  }

  async predict() {
    try {
      const { predictions: [found] } = await send(`${jobPath(this.name)}/predict?reasons=10`, JSON.parse(this.row.value));
      const most = Math.max(1e-9, ...found.reasons.map((each) => Math.abs(each.contribution)));
      const chance = Object.entries(found.probabilities).map(([label, p]) => `${label} ${percent(p)}`).join(", ");
      replace(this.verdict, element("p", { class: "verdict" }, element("b", {}, String(found.label)), ` — ${chance}`),
        element("table", {}, element("tbody", {}, found.reasons.map((each) => element("tr", {},
          element("td", { class: "feature" }, String(each.feature)),
          element("td", {}, weightBar({ weight: each.contribution, low: null, high: null }, most)),
          element("td", { class: "number" }, each.contribution.toFixed(3)))))));
    } catch (problem) { replace(this.verdict, element("p", { class: "problem" }, problem.message)); }
  }
}
