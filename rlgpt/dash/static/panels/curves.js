// Is it learning? Every curve of every policy; of a long one the server sends what fits the pixels.

import { get, ofRun } from "../api.js";
import { chart, colour, joined, short } from "../chart.js";
import { empty, h, keyed, text } from "../dom.js";
import { count, rate } from "../format.js";
import { Loaded } from "./loading.js";

const FIRST = ["episode/success_rate", "episode/return", "speed/steps_per_second", "policy/entropy", "policy/kl", "critic/explained_variance"];
const SHOWN = 12; // policies that can be chosen among at once
const DRAWN = 4; // that are drawn until others are chosen, the newest
const NAMES = {
  "episode/success_rate": "success rate of the recent training episodes",
  "episode/return": "mean return of an episode",
  "episode/length": "length of an episode, primitive steps",
  "speed/steps_per_second": "primitive steps a second",
  "policy/entropy": "entropy of the policy",
  "policy/kl": "change of the policy in an update (KL)",
  "policy/clone_kl": "distance to the imitated programs (KL)",
  "policy/clip_fraction": "share of clipped decisions",
  "loss/objective": "PPO's objective",
  "loss/critic": "loss of the value estimate",
  "critic/explained_variance": "explained variance of the value estimate",
  "loss/imitation": "loss of self-imitation",
};

export function title(policy) {
  return policy.replace(/\+train$/, "").split("+").filter((part) => part !== "goal").join(" / ").replaceAll("-", " ");
}

export function curves(root, context, rest) {
  const policies = h("div", { class: "choices" });
  const part = h("input", { type: "search", placeholder: "part of a policy's name", "aria-label": "policy", oninput: () => choices(byAge()) });
  const left = h("span", { class: "soft small" }, "");
  const finding = h("form", { class: "filter", onsubmit: (event) => event.preventDefault() }, part, left);
  finding.hidden = true;
  const said = h("div", { class: "lead" }, "");
  const area = h("div", { class: "charts" });
  root.append(
    h("h2", null, "Learning curves"),
    said,
    finding,
    policies,
    h("p", { class: "soft small" }, "Turn the wheel over a chart to zoom, drag to choose a part, shift and wheel to move along, double click for all."),
    area,
  );
  // ``chosen`` follows the newest until a person has chosen (``byHand``).
  const state = { lines: [], chosen: new Set(), byHand: false, charts: new Map(), wanted: rest || "" };
  const loaded = new Loaded(context, "curves", () => get(ofRun(context.run, "curves")), show, said, 1500);

  // The names of the policies, the oldest first.
  function byAge() {
    return [...new Map(state.lines.slice().sort((a, b) => a.began - b.began).map((line) => [line.policy, 1])).keys()];
  }

  async function show(lines) {
    state.lines = lines;
    const names = byAge();
    if (!names.length) {
      text(said, "");
      area.replaceChildren(empty("No policy has been trained in this run yet."));
      return;
    }
    if (area.querySelector(":scope > .empty")) area.replaceChildren();
    if (state.wanted.startsWith("of/")) {
      part.value = title(state.wanted.slice("of/".length).replaceAll("/", "+"));
      choose(names.filter(fits).slice(-DRAWN));
    } else if (state.wanted && names.includes(state.wanted)) {
      choose([state.wanted]);
    }
    if (!state.byHand) state.chosen = new Set(names.slice(-DRAWN));
    choices(names);
    lead(names);
    await Promise.all(tags().map(draw));
  }

  function choose(names) {
    state.chosen = new Set(names);
    state.byHand = names.length > 0;
    state.wanted = "";
  }

  function lead(names) {
    const last = state.lines.find((line) => line.policy === names.at(-1) && line.tag === FIRST[0]);
    text(said, last ? `The newest policy, ${title(last.policy)}: success ${rate(last.value)} after ${count(last.last)} samples.` : "");
  }

  function tags() {
    const known = [...new Set(state.lines.map((line) => line.tag))];
    return [...FIRST.filter((tag) => known.includes(tag)), ...known.filter((tag) => !FIRST.includes(tag))];
  }

  // The letters that are looked for: whole words, so that goal 1 does not find goal 17.
  function fits(name) {
    const words = part.value.trim().toLowerCase();
    return !words || ` ${title(name).toLowerCase()} `.includes(` ${words} `) || (!/\d$/.test(words) && title(name).toLowerCase().includes(words));
  }

  function choices(names) {
    const fit = names.filter(fits);
    const newest = new Set(fit.slice(-SHOWN));
    const shown = names.filter((name) => state.chosen.has(name) || newest.has(name)).reverse();
    finding.hidden = names.length <= SHOWN;
    text(left, `${shown.length} of ${names.length} policies, the newest first${fit.length > SHOWN ? "; write a part of a name to find others" : ""}`);
    keyed(policies, shown, (name) => name, choice, (made, name) => {
      const [box, swatch] = made.children;
      box.checked = state.chosen.has(name);
      swatch.style.background = box.checked ? colour([...state.chosen].indexOf(name)) : "transparent";
    });
  }

  function choice(name) {
    const change = (event) => {
      const others = [...state.chosen].filter((each) => each !== name);
      choose(event.target.checked || !others.length ? [...others, name] : others);
      choices(byAge());
      tags().forEach(draw);
    };
    return h("label", { title: name }, h("input", { type: "checkbox", onchange: change }), h("span", { class: "swatch" }), title(name));
  }

  async function draw(tag) {
    let drawn = state.charts.get(tag);
    if (!drawn) {
      const plot = h("div", { class: "plot" });
      const caption = h("figcaption", null, NAMES[tag] || tag);
      const big = tag === FIRST[0];
      area.append(h("figure", { class: `card ${big ? "wide" : ""}`, "data-tag": tag }, caption, plot));
      drawn = { plot, caption, busy: false, again: false };
      drawn.chart = chart(plot, {
        height: big ? 300 : 190,
        unit: short,
        legend: big,
        range: tag.endsWith("success_rate") ? () => [0, 1.02] : null,
        zoomed: () => fetchPart(tag),
        sync: "learning",
      });
      state.charts.set(tag, drawn);
    }
    await fetchPart(tag);
  }

  // One request at a time for each chart; while the wheel turns, what came last is asked for next.
  async function fetchPart(tag) {
    const drawn = state.charts.get(tag);
    if (drawn.busy) {
      drawn.again = true;
      return;
    }
    drawn.busy = true;
    const chosen = [...state.chosen];
    const all = extent(tag, chosen);
    const shown = drawn.chart.shown;
    const query = { tag, policy: chosen, columns: Math.max(drawn.plot.clientWidth, 200) };
    if (shown) Object.assign(query, { first: Math.floor(shown[0]), last: Math.ceil(shown[1]) });
    try {
      const found = await get(ofRun(context.run, "points", query));
      if (context.current() && !state.ended) {
        text(drawn.caption, `${NAMES[tag] || tag}${found.partial ? " (some of its points; the others are being read)" : ""}`);
        if (all) drawn.chart.set(joined(found.series), chosen.map(title), all);
        else drawn.chart.none("These policies have no such curve.");
      }
    } catch (error) {
      drawn.chart.none(`This cannot be shown: ${error.message}`);
    }
    drawn.busy = false;
    if (drawn.again && !state.ended) {
      drawn.again = false;
      fetchPart(tag);
    }
  }

  function extent(tag, chosen) {
    const lines = state.lines.filter((line) => line.tag === tag && chosen.includes(line.policy));
    if (!lines.length) return null;
    return [Math.min(...lines.map((line) => line.first)), Math.max(...lines.map((line) => line.last))];
  }

  return {
    update: (changed) => loaded.update(changed),
    route(to) {
      state.wanted = to || "";
      if (!to) { // the panel's own address: the newest policies
        part.value = "";
        state.byHand = false;
      }
      loaded.load();
    },
    unmount() {
      state.ended = true;
      loaded.end();
      for (const each of state.charts.values()) each.chart.end();
    },
    charts: state.charts,
  };
}
