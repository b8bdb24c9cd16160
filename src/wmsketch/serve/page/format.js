// Numbers, bytes and times as people read them.

export const count = (n) => (n === null || n === undefined ? "–" : Math.round(n).toLocaleString("en"));

export function bytes(n) {
  for (const [unit, size] of [["GiB", 2 ** 30], ["MiB", 2 ** 20], ["KiB", 2 ** 10]])
    if (n >= 0.999 * size) return `${(n / size).toFixed(n / size < 10 ? 1 : 0)} ${unit}`;
  return `${n} B`;
}

export const percent = (share) => {
  if (share === null || share === undefined) return "–";
  const value = 100 * share;
  return `${value === 0 || value >= 10 ? value.toFixed(0) : value >= 1 ? value.toFixed(1) : value.toPrecision(1)} %`;
};

export function ratio(value) {
  if (value === null || value === undefined) return "∞";
  if (value >= 100) return Math.round(value).toLocaleString("en");
  return value >= 10 ? value.toFixed(0) : value >= 1 ? value.toFixed(1) : value.toPrecision(2);
}

// Any number, with about four digits.
export function number(value) {
  if (value === null || value === undefined) return "–";
  const size = Math.abs(value);
  return size >= 1000 ? count(value) : value.toFixed(size >= 100 ? 1 : size >= 10 ? 2 : 3);
}

export const rate = (n) => (n >= 10 ? count(n) : n.toFixed(1));

export function clock(seconds, withSeconds = false) {
  const options = { hour: "2-digit", minute: "2-digit", hour12: false };
  if (withSeconds) options.second = "2-digit";
  return new Date(1000 * seconds).toLocaleTimeString("en", options);
}

// A time on an axis whose steps take so many seconds: with the day if there are many.
export function moment(seconds, step) {
  const day = new Date(1000 * seconds).toLocaleDateString("en", { month: "short", day: "numeric" });
  return step >= 3600 ? `${day}, ${clock(seconds)}` : clock(seconds, step < 30);
}

export function duration(seconds) {
  for (const [unit, size] of [["days", 86400], ["hours", 3600], ["minutes", 60]])
    if (seconds >= size && seconds % size === 0) return seconds === size ? `1 ${unit.slice(0, -1)}` : `${seconds / size} ${unit}`;
  return `${seconds} seconds`;
}

// A bin and all above it: "500 to 1000" is "500 or more".
export const orMore = (bin) => (/ to /.test(bin) ? `${bin.split(" to ")[0]} or more` : bin);

export const label = (attributes) => Object.entries(attributes).map(([column, value]) => `${column}=${value}`).join(" & ");
