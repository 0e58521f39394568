// Charts in SVG. They keep their elements, and change only the paths.

const svgName = "http://www.w3.org/2000/svg";

function part(svg, className) {
  const path = document.createElementNS(svgName, "path");
  path.setAttribute("class", className);
  svg.append(path);
  return path;
}

// draw returns the path of numbers from left to right. The last one is at the right end.
function draw(values, room, most, width, height) {
  const step = width / (room - 1);
  let x = width - step * (values.length - 1);
  let d = "";
  for (const v of values) {
    d += `${d === "" ? "M" : "L"}${x.toFixed(1)} ${(height - (height * v) / most).toFixed(1)}`;
    x += step;
  }
  return d;
}

// spark draws small lines without axes: each item has a class and its values. room is how many values fit.
export function spark(svg, room, lines, least = 0) {
  if (!svg.firstChild) {
    svg.setAttribute("viewBox", "0 0 100 24");
    svg.setAttribute("preserveAspectRatio", "none");
    for (const [className] of lines) part(svg, className);
  }
  const most = Math.max(least, 1e-9, ...lines.flatMap(([, values]) => values));
  lines.forEach(([, values], i) => svg.children[i].setAttribute("d", values.some((v) => v > 0) ? draw(values, room, most, 100, 24) : ""));
}

// nice returns the least round number that is not below n.
function nice(n) {
  const power = 10 ** Math.floor(Math.log10(n));
  for (const m of [1, 2, 4, 5, 10]) if (m * power >= n) return m * power;
  return 10 * power;
}

const width = 1000;
const height = 200;
const lines = 4;

// Flow is the chart of the decisions: an area of all of them, and before it an area of those that were refused.
export class Flow {
  constructor(box, room, times, format) {
    this.room = room;
    this.format = format;
    this.box = box;
    const svg = document.createElementNS(svgName, "svg");
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.setAttribute("preserveAspectRatio", "none");
    svg.setAttribute("aria-hidden", "true");
    const grid = part(svg, "grid");
    let d = "";
    for (let i = 0; i <= lines; i++) d += `M0 ${(height * i) / lines}H${width}`;
    grid.setAttribute("d", d);
    this.areas = ["allowed-area", "refused-area"].map((name) => part(svg, name));
    this.lines = ["allowed-line", "refused-line"].map((name) => part(svg, name));
    box.append(svg);
    this.labels = [];
    for (let i = 0; i <= lines; i++) this.labels.push(this.label("y", "bottom", (100 * i) / lines, ""));
    times.forEach((text, i) => this.label(i === times.length - 1 ? "x last" : "x", "left", (100 * i) / (times.length - 1), text));
  }

  label(className, side, at, text) {
    const span = document.createElement("span");
    span.className = className;
    span.style.setProperty(side, `${at}%`);
    span.textContent = text;
    this.box.append(span);
    return span;
  }

  draw(all, refused) {
    const most = nice(Math.max(4, ...all));
    this.labels.forEach((span, i) => {
      const text = this.format((most * i) / lines);
      if (span.textContent !== text) span.textContent = text;
    });
    [all, refused].forEach((values, i) => {
      const d = draw(values, this.room, most, width, height);
      this.lines[i].setAttribute("d", d);
      const left = width - (width / (this.room - 1)) * (values.length - 1);
      this.areas[i].setAttribute("d", values.length > 1 ? `${d}V${height}H${left.toFixed(1)}Z` : "");
    });
  }
}
