// Tables that several views show: weights with bars, and attributes with two shares.

import { element, sparkline } from "./dom.js";
import { clock, count, label, number, percent, ratio } from "./format.js";

// A bar around zero with the range of the weight as a line.
export function weightBar(row, most) {
  const at = (value) => 50 + (50 * Math.max(-most, Math.min(most, value))) / most;
  const from = Math.min(50, at(row.weight)), to = Math.max(50, at(row.weight));
  const bar = element("div", { class: "bar", role: "img", "aria-label": `weight ${number(row.weight)}` }, element("s"),
    element("i", { class: row.weight > 0 ? "more" : "less", style: { left: `${from}%`, width: `${to - from}%` } }));
  if (row.low !== null && row.high !== null)
    bar.append(element("em", { style: { left: `${at(row.low)}%`, width: `${at(row.high) - at(row.low)}%` } }));
  return bar;
}

// `since` is the time of the first weights in `history`; features can come in the order of their change since then.
export function weights(rows, history, since, byChange) {
  const most = Math.max(1e-9, ...rows.map((row) => Math.abs(row.weight)));
  const heads = ["feature", "weight, with its 95 % range", "", since ? `change since ${clock(since, true)}` : "change", ""];
  const size = (row) => Math.abs(change(history?.[row.feature], row.weight) ?? 0);
  if (byChange) rows = [...rows].sort((one, other) => size(other) - size(one));
  return element("table", { class: "weights" },
    element("thead", {}, element("tr", {}, heads.map((head, i) => element("th", { class: i > 2 ? "wide" : "", scope: "col" }, head)))),
    element("tbody", {}, rows.map((row) => element("tr", {},
      element("td", { class: "feature" }, String(row.feature)),
      element("td", {}, weightBar(row, most)),
      element("td", { class: "number" }, number(row.weight)),
      element("td", { class: "wide" }, sparkline(history?.[row.feature] ?? [], "the weight over the last minutes")),
      element("td", { class: "number wide soft" }, signed(change(history?.[row.feature], row.weight)))))));
}

// A feature that came later has changed by all of its weight.
function change(values, now) {
  return values?.length ? now - (values[0] ?? 0) : null;
}

function signed(value) {
  return value === null || Math.abs(value) < 0.0005 ? "" : `${value > 0 ? "+" : "−"}${number(Math.abs(value))}`;
}

function shares(row) {
  const line = (kind, share) => element("div", { class: kind },
    element("div", { class: "track" }, element("i", { style: { width: `${(100 * (share ?? 0)).toFixed(1)}%` } })), percent(share));
  return element("div", { class: "shares" }, line("a", row.share_a), line("b", row.share_b));
}

function name(row, onClick) {
  const parts = Object.entries(row.attributes).flatMap(([column, value], i) => {
    const button = element("button", { type: "button", title: "show only these rows", onclick: () => onClick(column, value) }, `${column}=${value}`);
    return i ? [element("span", { class: "and" }, " and "), button] : [button];
  });
  return element("td", { class: "feature" }, parts);
}

export function attributes(rows, onClick) {
  return element("table", {},
    element("thead", {}, element("tr", {},
      element("th", { scope: "col" }, "attribute"), element("th", { scope: "col" }, "share in each part"),
      element("th", { class: "number", scope: "col" }, "ratio"), element("th", { class: "number wide", scope: "col" }, "95 % range"),
      element("th", { class: "number wide", scope: "col" }, "rows"))),
    element("tbody", {}, rows.map((row) => element("tr", { "data-attributes": label(row.attributes) }, name(row, onClick),
      element("td", {}, shares(row)),
      element("td", { class: "number" }, `${row.exact ? "" : "~"}${ratio(row.ratio)}×`,
        element("div", { class: "narrow soft" }, `${ratio(row.ratio_low)} to ${ratio(row.ratio_high)}`)),
      element("td", { class: "number wide" }, `${ratio(row.ratio_low)} to ${ratio(row.ratio_high)}`),
      element("td", { class: "number wide" }, `${count(row.count_a)} / ${count(row.count_b)}`)))));
}
