// Numbers as texts for people.

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const tenths = new Intl.NumberFormat("en", { minimumFractionDigits: 1, maximumFractionDigits: 1 });

// count formats a total: 12,345, then 1.2 M.
export function count(n) {
  if (n < 1e6) return whole.format(n);
  const [by, unit] = n < 1e9 ? [1e6, "M"] : n < 1e12 ? [1e9, "G"] : [1e12, "T"];
  return `${tenths.format(n / by)} ${unit}`;
}

// rate formats a number per second.
export function rate(n) {
  if (n === 0) return "0";
  return n < 10 ? tenths.format(n) : count(n);
}

export function percent(part, all) {
  if (all <= 0 || part <= 0) return "0 %";
  const p = (100 * part) / all;
  return p < 0.1 ? "< 0.1 %" : p < 10 ? `${tenths.format(p)} %` : `${whole.format(p)} %`;
}

// scaled returns a number and its unit.
function scaled(n, step, units) {
  let i = 0;
  for (; n >= step && i < units.length - 1; i++) n /= step;
  return [i === 0 || n >= 100 ? whole.format(n) : tenths.format(n), units[i]];
}

export const bytes = (n) => scaled(n, 1024, ["B", "KiB", "MiB", "GiB", "TiB"]);
export const nanos = (n) => scaled(n, 1000, ["ns", "µs", "ms", "s"]);

export function duration(seconds) {
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
  return `${Math.floor(seconds / 86400)} d ${Math.floor((seconds % 86400) / 3600)} h`;
}

export const ago = (seconds) => (seconds < 1 ? "now" : `${duration(seconds)} ago`);
