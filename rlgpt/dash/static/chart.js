// Lines over samples or time, drawn by uPlot, with zoom by wheel and by dragging.

import { empty } from "./dom.js";
import { clock, count } from "./format.js";

const LIGHT = ["#1d5fb8", "#b4530a", "#12703a", "#8a2a7a", "#b3261e", "#4b5563", "#0e7490", "#7a6400"];
const DARK = ["#7fb4ff", "#f0a35c", "#63cf8d", "#e6a1dc", "#ff9488", "#b6c0cc", "#62d0e6", "#e0cf6a"];
const dark = matchMedia("(prefers-color-scheme: dark)");

export function colour(place) {
  return (dark.matches ? DARK : LIGHT)[place % LIGHT.length];
}

// More of them than the palette has, for parts of a whole.
export function tint(place) {
  return `hsl(${Math.round(215 + place * 137.5) % 360} ${dark.matches ? "62% 66%" : "55% 45%"})`;
}

// ``unit`` words a value, ``time``: x is seconds since the epoch. ``zoomed(first, last)`` is called
// with the part that is shown, or with nulls for all of it. ``range`` of y, else as the values are.
export function chart(root, { unit = short, time = false, height = 260, zoomed = null, range = null, legend = true, sync = null } = {}) {
  let plot = null;
  let names = [];
  let data = null;
  let whole = [0, 1];
  let ended = false; // what was fetched for it may come later, and must not make a plot again
  const style = getComputedStyle(document.documentElement);
  const resize = new ResizeObserver(() => {
    const width = root.clientWidth;
    if (plot && width && plot.width !== width) plot.setSize({ width, height });
  });
  resize.observe(root);
  const recolour = () => { if (data) make(); };
  dark.addEventListener("change", recolour);

  function options() {
    const line = style.getPropertyValue("--line").trim() || "#ddd";
    const soft = style.getPropertyValue("--soft").trim() || "#666";
    const axis = { stroke: soft, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 }, font: "11.5px system-ui, sans-serif" };
    return {
      width: root.clientWidth || 600,
      height,
      legend: { show: legend && names.length > 0, live: true },
      cursor: { drag: { x: true, y: false, setScale: false }, points: { size: 7 }, ...(sync ? { sync: { key: sync } } : {}) },
      scales: { x: { time: false }, y: { range: range || ((_, low, high) => padded(low, high)) } },
      axes: [
        { ...axis, values: (_, ticks) => ticks.map((v) => (time ? clock(v) : count(v))), space: time ? 90 : 60 },
        { ...axis, values: (_, ticks) => ticks.map(unit), size: 62 },
      ],
      series: [
        { label: time ? "time" : "samples", value: (_, v) => (v === null ? "" : time ? clock(v) : count(v)) },
        ...names.map((name, place) => ({ label: name, stroke: colour(place), width: 1.6, spanGaps: true, points: { show: data && data[0].length < 3 }, value: (_, v) => (v === null || v === undefined ? "" : unit(v)) })),
      ],
      hooks: {
        setSelect: [
          (u) => {
            if (u.select.width > 4) {
              zoom(u.posToVal(u.select.left, "x"), u.posToVal(u.select.left + u.select.width, "x"));
            }
            u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          },
        ],
        ready: [
          (u) => {
            u.over.addEventListener("dblclick", () => zoom(...whole, true));
            u.over.addEventListener("wheel", (event) => wheel(u, event), { passive: false });
          },
        ],
      },
    };
  }

  function make() {
    plot?.destroy();
    root.replaceChildren();
    plot = new uPlot(options(), data, root);
  }

  function wheel(u, event) {
    if (!event.ctrlKey && !event.shiftKey && !root.matches(":focus-within, :hover")) return;
    event.preventDefault();
    const { min, max } = u.scales.x;
    const at = u.posToVal(event.clientX - u.over.getBoundingClientRect().left, "x");
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      const by = ((event.deltaX || event.deltaY) / u.over.clientWidth) * (max - min);
      pan(min + by, max + by);
      return;
    }
    const by = Math.exp(Math.sign(event.deltaY) * 0.22);
    zoom(at - (at - min) * by, at + (max - at) * by);
  }

  function pan(first, last) {
    const wide = last - first;
    const start = Math.min(Math.max(first, whole[0]), Math.max(whole[1] - wide, whole[0]));
    zoom(start, Math.min(start + wide, whole[1]));
  }

  function zoom(first, last, all = false) {
    const least = time ? 1 : (whole[1] - whole[0]) / 1e6;
    const from = Math.max(first, whole[0]);
    const to = Math.min(last, whole[1]);
    if (to - from < least) return;
    const everything = all || (from <= whole[0] && to >= whole[1]);
    made.shown = everything ? null : [from, to];
    plot.setScale("x", { min: from, max: to });
    zoomed?.(...(made.shown || [null, null]));
  }

  const made = {
    shown: null,
    // The part of x that there is at all; else that of the data.
    set(columns, labels, all = null) {
      if (ended) return;
      const same = plot && labels.length === names.length && labels.every((name, i) => name === names[i]);
      data = columns;
      names = labels;
      const x = columns[0];
      if (!x.length) {
        made.none("There are no points yet.");
        return;
      }
      const before = whole;
      whole = all || [x[0], x[x.length - 1]];
      if (whole[0] === whole[1]) whole = [whole[0], whole[0] + 1];
      if (!same) {
        made.shown = null;
        make();
        plot.setScale("x", { min: whole[0], max: whole[1] });
        return;
      }
      plot.setData(columns, false);
      // A part that was chosen stays; all of it grows with the data.
      const [first, last] = made.shown || whole;
      if (made.shown && last > before[1]) made.shown = null;
      plot.setScale("x", { min: first, max: last });
    },
    none(words) {
      if (ended) return;
      plot?.destroy();
      plot = null;
      data = null;
      names = [];
      root.replaceChildren(empty(words));
    },
    zoom: (first, last) => plot && zoom(first, last),
    reset: () => plot && zoom(...whole, true),
    get whole() { return whole; },
    end() {
      ended = true;
      resize.disconnect();
      dark.removeEventListener("change", recolour);
      plot?.destroy();
      plot = null;
    },
  };
  return made;
}

function padded(low, high) {
  if (low === null || high === null) return [0, 1];
  const room = (high - low || Math.abs(high) || 1) * 0.06;
  return [low >= 0 && low - room < 0 ? 0 : low - room, high + room];
}

export function short(value) {
  if (value === null || value === undefined) return "";
  const size = Math.abs(value);
  if (size >= 1000) return count(value);
  if (size !== 0 && size < 0.001) return value.toExponential(1);
  return String(Number(value.toPrecision(3)));
}

// Curves with an x of their own each, as one table for uPlot.
export function joined(series) {
  const full = series.map((each) => [each.x, each.y]);
  if (!full.length) return [[]];
  if (full.length === 1) return full[0];
  return uPlot.join(full);
}
