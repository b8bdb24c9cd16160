// The page: the list of jobs, the job in the address, and the events that keep both up to date.

import { listen } from "./api.js";
import { element, meter, replace } from "./dom.js";
import { bytes, count, rate } from "./format.js";
import { LearnerView } from "./learner.js";
import { PairsView } from "./pairs.js";
import { WindowsView } from "./windows.js";

const VIEWS = { learn: LearnerView, explain: WindowsView, diff: WindowsView, pmi: PairsView };
const place = (id) => document.getElementById(id);
let jobs = [];
let view = null;

// The address is #/NAME?setting=value: a link to it shows the same view.
function address() {
  const [name, query] = location.hash.replace(/^#\/?/, "").split("?");
  return { name: decodeURIComponent(name), settings: new URLSearchParams(query ?? "") };
}

export function settingsTo(name, settings) {
  const query = new URLSearchParams(Object.entries(settings).filter(([, value]) => value !== null && value !== undefined));
  history.replaceState(null, "", `#/${encodeURIComponent(name)}${query.size ? `?${query}` : ""}`);
}

function showJobs() {
  const { name } = address();
  const chosen = name || jobs[0]?.name;
  replace(place("jobs"), jobs.map((job) => {
    const used = `${bytes(job.nbytes)} of ${bytes(job.budget_bytes)}`;
    const current = job.name === chosen ? "page" : undefined;
    return element("li", {}, element("a", { href: `#/${encodeURIComponent(job.name)}`, "aria-current": current },
      element("span", { class: "kind" }, job.kind),
      element("div", { class: "name" }, job.name),
      element("div", { class: "figures" }, `${count(job.rows)} rows, ${rate(job.rows_per_second)}/s · ${used}`),
      meter(job.nbytes / job.budget_bytes, `memory: ${used}`),
      job.problem ? element("div", { class: "problem" }, job.problem) : null));
  }));
}

function showView() {
  const { name, settings } = address();
  const job = jobs.find((each) => each.name === name) ?? (name ? null : jobs[0]);
  if (!job) {
    view?.stop?.();
    view = null;
    const text = jobs.length ? `There is no job ${name}.` : "There are no jobs yet. Put a TOML file into the folder, or POST /jobs.";
    replace(place("view"), element("div", { class: "card empty" }, text));
    return;
  }
  if (!view || view.name !== job.name) {
    view?.stop?.();
    view = new VIEWS[job.kind](place("view"), job, settings, (changed) => settingsTo(job.name, changed));
  }
  view.update(job);
}

function onEvent(figures) {
  jobs = figures.jobs;
  const { memory_bytes: memory, reserved_bytes: reserved } = figures;
  replace(place("memory"), `${bytes(reserved)} of ${bytes(memory)} reserved for jobs`,
    meter(reserved / memory, "memory reserved for jobs"));
  showJobs();
  showView();
}

function onState(connected) {
  place("connection").textContent = connected ? "live" : "reconnecting";
  place("connection").classList.toggle("on", connected);
}

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  localStorage.setItem("wmsketch-theme", theme);
  view?.redraw?.();
}

const preferred = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
setTheme(localStorage.getItem("wmsketch-theme") ?? preferred);
place("theme").addEventListener("click", () => setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"));
addEventListener("hashchange", () => { view?.stop?.(); view = null; showJobs(); showView(); });
listen(onEvent, onState);
