// A heat map of rows by time and measure, on which a box can be drawn with the pointer or the keyboard.

import { element, replace } from "./dom.js";
import { moment } from "./format.js";

export class HeatMap {
  // `onBox` gets {begin, end, low, high} in times and bins, or null.
  constructor(onBox) {
    this.onBox = onBox;
    this.data = null;
    this.box = null; // columns and bins: first and last, both included
    this.canvas = element("canvas", { tabindex: "0", role: "application",
      "aria-label": "Rows by time and measure. Draw a box; or use the arrow keys to move it, with shift to resize, escape to remove." });
    this.bins = element("div", { class: "bins", "aria-hidden": "true" });
    this.times = element("div", { class: "times" });
    this.element = element("div", { class: "heat" }, this.bins, this.canvas, this.times);
    this.canvas.addEventListener("pointerdown", (event) => this.begin(event));
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.draw()).observe(this.canvas);
  }

  show(data, wanted) {
    this.data = data;
    replace(this.bins, [...data.bins].reverse().map((name) => element("span", {}, name)));
    const end = data.begin + data.counts.length * data.seconds;
    const marks = 5;
    replace(this.times, Array.from({ length: marks }, (_, i) =>
      element("span", {}, moment(data.begin + ((end - data.begin) * i) / (marks - 1), data.seconds))));
    if (!this.drawing) this.box = wanted ? this.boxOf(wanted) : null;
    this.draw();
  }

  boxOf({ begin, end, low, high }) {
    const { data } = this, column = (time) => Math.round((time - data.begin) / data.seconds);
    const last = Math.min(data.counts.length, column(end)) - 1;
    return last < 0 ? null : { left: Math.max(0, column(begin)), right: last, low, high: Math.min(high, data.bins.length) - 1 };
  }

  tell() {
    const { data, box } = this;
    this.onBox(box && { begin: data.begin + box.left * data.seconds, end: data.begin + (box.right + 1) * data.seconds,
      low: box.low, high: box.high + 1 });
  }

  cellAt(event) {
    const { data } = this, area = this.canvas.getBoundingClientRect();
    const limit = (value, most) => Math.max(0, Math.min(most - 1, Math.floor(value * most)));
    return [limit((event.clientX - area.left) / area.width, data.counts.length),
      data.bins.length - 1 - limit((event.clientY - area.top) / area.height, data.bins.length)];
  }

  begin(event) {
    if (!this.data?.counts.length) return;
    this.canvas.setPointerCapture(event.pointerId);
    const start = this.cellAt(event);
    const over = new AbortController(), once = { once: true, signal: over.signal };
    this.drawing = true;
    const move = (moved) => {
      const now = this.cellAt(moved);
      this.box = { left: Math.min(start[0], now[0]), right: Math.max(start[0], now[0]), low: Math.min(start[1], now[1]), high: Math.max(start[1], now[1]) };
      this.draw();
    };
    const end = () => {
      over.abort();
      this.drawing = false;
      this.tell();
    };
    move(event);
    this.canvas.addEventListener("pointermove", move, { signal: over.signal });
    this.canvas.addEventListener("pointerup", (last) => { move(last); end(); }, once);
    this.canvas.addEventListener("pointercancel", () => end(), once); // the system takes the finger away
  }

  key(event) {
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    if (event.key === "Escape") { this.box = null; this.draw(); this.tell(); return; }
    if (!(event.key in steps) || !this.data?.counts.length) return;
    event.preventDefault();
    const columns = this.data.counts.length, bins = this.data.bins.length, [x, y] = steps[event.key];
    const box = this.box ?? { left: columns - 1, right: columns - 1, low: bins - 1, high: bins - 1 };
    const moved = event.shiftKey ? { ...box, right: box.right + x, high: box.high + y }
      : { left: box.left + x, right: box.right + x, low: box.low + y, high: box.high + y };
    if (moved.left < 0 || moved.right >= columns || moved.low < 0 || moved.high >= bins || moved.right < moved.left || moved.high < moved.low) return;
    this.box = moved;
    this.draw();
    this.tell();
  }

  draw() {
    const { canvas, data } = this, scale = devicePixelRatio || 1;
    const width = canvas.clientWidth, height = canvas.clientHeight;
    if (!data?.counts.length || !width) return;
    canvas.width = width * scale;
    canvas.height = height * scale;
    const pen = canvas.getContext("2d"), colours = getComputedStyle(document.documentElement);
    pen.scale(scale, scale);
    const heat = colours.getPropertyValue("--heat"), most = Math.max(1, ...data.counts.flat());
    const w = width / data.counts.length, h = height / data.bins.length;
    data.counts.forEach((column, i) => column.forEach((n, bin) => {
      if (!n) return;
      pen.fillStyle = `rgba(${heat}, ${0.1 + 0.9 * Math.log1p(n) / Math.log1p(most)})`;
      pen.fillRect(i * w + 0.5, height - (bin + 1) * h + 0.5, w - 1, h - 1);
    }));
    if (data.first_outlier !== null && data.bins.length > 1) {
      pen.strokeStyle = colours.getPropertyValue("--soft");
      pen.setLineDash([5, 4]);
      pen.beginPath();
      pen.moveTo(0, height - data.first_outlier * h);
      pen.lineTo(width, height - data.first_outlier * h);
      pen.stroke();
      pen.setLineDash([]);
    }
    if (this.box) {
      const { left, right, low, high } = this.box;
      pen.strokeStyle = colours.getPropertyValue("--box");
      pen.lineWidth = 2.5;
      pen.strokeRect(left * w + 1, height - (high + 1) * h + 1, (right - left + 1) * w - 2, (high - low + 1) * h - 2);
    }
  }
}
