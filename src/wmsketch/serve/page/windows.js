// An explain or diff job: the heat map, a box on it, and what is different inside the box.

import { ask, jobPath } from "./api.js";
import { announcer, element, replace } from "./dom.js";
import { bytes, count, duration, label, moment, orMore, rate, ratio } from "./format.js";
import { HeatMap } from "./heatmap.js";
import { attributes } from "./tables.js";

const EVERY = 2000;
const SPAN = ["begin", "end", "low", "high"];

export class WindowsView {
  constructor(place, job, settings, onSettings) {
    this.name = job.name;
    this.onSettings = onSettings;
    this.where = settings.get("where");
    this.box = settings.has("begin") ? Object.fromEntries(SPAN.map((name) => [name, Number(settings.get(name))])) : null;
    this.ring = Number(settings.get("ring") ?? 0);
    this.words = settings.get("last") ? { last: settings.get("last"), before: settings.get("before"), ago: settings.get("ago") } : null;
    this.map = new HeatMap((box) => { this.box = box; this.words = null; this.changed(); });
    this.figures = element("span", { class: "soft" });
    this.controls = element("div", { class: "controls" });
    this.question = element("div", { class: "legend" });
    this.answer = element("div", {}, element("div", { class: "empty" }, "No rows yet."));
    this.spoken = announcer();
    this.heading = element("h3", {}, "Rows by time");
    this.search = element("input", { type: "search", placeholder: "search an attribute", "aria-label": "Search an attribute" });
    this.search.addEventListener("input", () => this.lookUp());
    this.found = element("div");
    replace(place,
      element("div", { class: "title" }, element("h2", {}, job.name), this.figures),
      element("section", { class: "card" }, this.heading, this.map.element),
      this.controls,
      element("section", { class: "card" }, this.question, this.answer, this.spoken.element),
      element("section", { class: "card" }, element("h3", {}, "Search"), element("div", { class: "controls" }, this.search), this.found));
    this.showControls();
    this.refresh();
    this.timer = setInterval(() => this.refresh(), EVERY);
  }

  stop() { clearInterval(this.timer); }

  redraw() { this.map.draw(); }

  update(job) {
    const missed = job.missed ? `, ${count(job.missed)} occurrences not counted` : ", every count exact";
    this.figures.textContent = `${count(job.examples)} rows, ${rate(job.rows_per_second)}/s · ${count(job.items)} of ${count(job.slots)} attributes held${missed} · ${bytes(job.nbytes)}`;
  }

  changed() {
    this.onSettings({ ...this.box, ...this.words, where: this.where, ring: this.ring || null });
    this.spoken.say("");
    this.showControls();
    this.refresh();
  }

  showControls() {
    const preset = (text, words) => element("button", { type: "button", "aria-pressed": String(!this.box && JSON.stringify(this.words) === JSON.stringify(words)),
      onclick: () => { this.words = words; this.box = null; this.changed(); } }, text);
    replace(this.controls, preset("Now", null), preset("Last 10 min, hour before", { last: "10min", before: "1h", ago: null }),
      preset("Same time yesterday", { last: "10min", before: null, ago: "24h" }),
      element("button", { type: "button", onclick: (event) => this.copy(event.target) }, "Copy link"),
      (this.rings ?? []).length < 2 ? null : element("span", { class: "choice", role: "group", "aria-label": "Time shown" },
        this.rings.map(([n, seconds], i) => element("button", { type: "button", "aria-pressed": String(i === this.ring),
          onclick: () => { this.ring = i; this.box = null; this.changed(); } }, duration(n * seconds)))),
      this.where === null ? null : element("span", { class: "chip" }, this.where,
        element("button", { type: "button", "aria-label": "Remove the filter", onclick: () => { this.where = null; this.changed(); } }, "✕")));
  }

  async copy(button) {
    await navigator.clipboard?.writeText(location.href);
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy link"; }, 1500);
  }

  async refresh() {
    const path = jobPath(this.name), asked = { ...this.box, ...this.words };
    try {
      const [map, answer] = await Promise.all([ask(`${path}/heatmap`, { where: this.where, ring: this.ring }), ask(`${path}/compare`, { ...asked, where: this.where, k: 30 })]);
      if (!this.rings) { this.rings = map.rings; this.showControls(); }
      this.heading.textContent = `${map.measure ?? "Rows"} by time, ${duration(map.seconds)} each`;
      this.map.show(map, this.box);
      this.showAnswer(answer, map);
    } catch (problem) { replace(this.answer, element("p", { class: "problem" }, problem.message)); }
  }

  showAnswer(answer, map) {
    const when = ([begin, end]) => `${moment(begin, map.seconds)} to ${moment(end, map.seconds)}`;
    const toTop = this.box?.high === map.bins.length;
    const upTo = this.box && this.box.high - 1 > this.box.low ? ` … ${map.bins[this.box.high - 1]}` : "";
    const bins = this.box ? `, ${toTop ? orMore(map.bins[this.box.low]) : map.bins[this.box.low] + upTo}` : "";
    const outliers = !this.box && !this.words && map.first_outlier !== null;
    const a = this.box ? `in the box (${when(answer.covered_a)}${bins})` : outliers ? `${orMore(map.bins[map.first_outlier])} (${when(answer.covered_a)})` : when(answer.covered_a);
    const b = this.box ? "the rest of this time" : outliers ? "all below" : when(answer.covered_b);
    replace(this.question,
      element("span", { class: "a" }, element("i"), `${a}: ${count(answer.total_a)} rows`),
      element("span", {}, element("i"), `${b}: ${count(answer.total_b)} rows`),
      element("span", {}, `${count(answer.exact)} of ${count(answer.items)} counts exact`));
    if (!answer.rows.length) {
      const empty = answer.total_a && answer.total_b ? "No difference beyond chance." : "One of the two parts has no rows.";
      replace(this.answer, element("div", { class: "empty" }, empty));
      this.spoken.say(empty);
      return;
    }
    const [first] = answer.rows;
    if (!this.spoken.element.textContent)
      this.spoken.say(`${a}: ${label(first.attributes)} is ${ratio(first.ratio)} times as common as in ${b}. ${answer.rows.length} attributes differ.`);
    replace(this.answer, attributes(answer.rows, (column, value) => { this.where = `${column}=${value}`; this.changed(); }));
  }

  async lookUp() {
    if (!this.search.value) { replace(this.found); return; }
    const { rows } = await ask(`${jobPath(this.name)}/search`, { text: this.search.value, k: 10 });
    replace(this.found, element("table", {}, element("tbody", {}, rows.map((row) => {
      const [[column, value]] = Object.entries(row.attributes);
      const button = element("button", { type: "button", onclick: () => { this.where = `${column}=${value}`; this.changed(); } }, `${column}=${value}`);
      return element("tr", {}, element("td", { class: "feature" }, button), element("td", { class: "number" }, `${count(row.count)} rows`));
    }))));
  }
}
