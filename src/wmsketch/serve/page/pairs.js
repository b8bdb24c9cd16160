// Pairs of items that occur together.

import { ask, jobPath } from "./api.js";
import { element, replace } from "./dom.js";
import { bytes, count, rate } from "./format.js";

export class PairsView {
  constructor(place, job) {
    this.name = job.name;
    this.tiles = element("div", { class: "card tiles" });
    this.top = element("div", {}, element("div", { class: "empty" }, "No pairs yet."));
    replace(place, element("div", { class: "title" }, element("h2", {}, job.name), element("span", { class: "soft" }, "pairs that occur together")),
      this.tiles, element("section", { class: "card" }, this.top));
    this.refresh();
    this.timer = setInterval(() => this.refresh(), 2000);
  }

  stop() { clearInterval(this.timer); }

  update(job) {
    const tile = (value, text) => element("div", { class: "tile" }, element("b", {}, value), element("span", {}, text));
    replace(this.tiles, tile(count(job.examples), "items"), tile(count(job.pairs), "pairs"), tile(rate(job.rows_per_second), "rows per second"),
      tile(bytes(job.nbytes), `of ${bytes(job.budget_bytes)}`), element("div", { class: "soft" }, job.held));
  }

  async refresh() {
    try {
      const { rows } = await ask(`${jobPath(this.name)}/top`, { k: 50 });
      if (!rows.length) return;
      const heads = ["pair", "PMI", "95 % range", "count"];
      replace(this.top, element("table", {},
        element("thead", {}, element("tr", {}, heads.map((head, i) => element("th", { class: i ? "number" : "", scope: "col" }, head)))),
        element("tbody", {}, rows.map((row) => element("tr", {},
          element("td", { class: "feature" }, row.pair.join(" · ")),
          element("td", { class: "number" }, row.pmi.toFixed(2)),
          element("td", { class: "number" }, `${row.low?.toFixed(2) ?? "–"} to ${row.high?.toFixed(2) ?? "–"}`),
          element("td", { class: "number" }, count(row.count)))))));
    } catch { /* the service is away */ }
  }
}
