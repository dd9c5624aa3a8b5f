// Where the time of the run went: in sums, and on a line of time.

import { get, ofRun } from "../api.js";
import { colour, tint } from "../chart.js";
import { empty, fill, h, svg, table, td } from "../dom.js";
import { clock, count, duration } from "../format.js";
import { title } from "./curves.js";
import { Loaded } from "./loading.js";

const PLACES = { training: 0, tryout: 1, comparison: 6, evaluation: 2, performance: 3, other: 5, llm: 4, rest: 5 };
const WIDTH = 1000;
const ROW = 26;

export function times(root, context) {
  const sums = h("section", { class: "card" });
  const line = h("section", { class: "card" });
  const learner = h("section", { class: "card" });
  const profile = h("section");
  root.append(h("h2", null, "Where the time goes"), profile, h("h2", null, "By what it was for"), sums, h("h2", null, "On a line of time"), line, h("h2", null, "Speed of trainings"), learner);
  const loaded = new Loaded(context, null, () => get(ofRun(context.run, "times")), (found) => {
    drawProfile(profile, found.profile);
    drawSums(sums, found);
    drawLine(line, found);
    drawSpeed(learner, found);
  }, profile, 2000);
  return {
    update: (changed) => loaded.update(changed),
    unmount: () => loaded.end(),
  };
}

// The account of `rlgpt profile`: each second of the run once, and each of its trainings.
function drawProfile(root, found) {
  if (!found.parts.length) {
    root.replaceChildren(h("section", { class: "card" }, empty("Its nodes have not written down what they spend their time on.")));
    return;
  }
  const slow = found.parts.slice().sort((a, b) => b.seconds - a.seconds);
  const place = new Map(found.parts.map((each, i) => [each.part, i]));
  const title = (part) => found.titles[part] || part;
  const swatch = (part) => {
    const made = h("span", { class: "swatch" });
    made.style.background = tint(place.get(part) ?? 20);
    return made;
  };
  const [first] = slow.filter((each) => each.part !== "other");
  root.replaceChildren(
    h(
      "section",
      { class: "card" },
      first && h("p", { class: "lead" }, `${title(first.part)} takes the most, ${Math.round(100 * first.share)} % of the time: ${found.meanings[first.part] || ""}.`),
      stacked(found.parts, (each) => title(each.part), (each) => tint(place.get(each.part))),
      table(["part", "#time", "#share", "what it is"], slow.map((each) => h("tr", null, td([swatch(each.part), title(each.part)]), td(duration(each.seconds), "number"), td(`${(100 * each.share).toFixed(1)} %`, "number"), td(found.meanings[each.part] || "", "soft")))),
    ),
    found.all_trainings > found.trainings.length ? h("p", { class: "soft" }, `Of ${found.all_trainings} trainings the newest ${found.trainings.length}; rlgpt profile --json has all:`) : "",
    ...found.trainings.map((training) =>
      h(
        "section",
        { class: "card" },
        h("header", null, h("h3", null, `Training ${training.policy}`), h("span", { class: "soft" }, duration(training.seconds))),
        stacked(training.parts, (each) => title(each.part), (each) => tint(place.get(each.part) ?? 20)),
        h("p", { class: "soft small" }, training.parts.slice().sort((a, b) => b.seconds - a.seconds).map((each) => `${title(each.part)} ${(100 * each.share).toFixed(0)} %`).join(", ")),
      ),
    ),
  );
}

function stacked(parts, name, paint) {
  const sum = parts.reduce((all, part) => all + part.seconds, 0);
  const bar = h("div", { class: "stacked" });
  for (const part of parts) {
    const piece = h("i", { title: `${name(part)}: ${duration(part.seconds)}` });
    piece.style.width = `${(100 * part.seconds) / sum}%`;
    piece.style.background = paint(part);
    bar.append(piece);
  }
  return bar;
}

function drawSums(root, found) {
  if (!found.parts.length) {
    root.replaceChildren(empty("Nothing was measured yet."));
    return;
  }
  const sum = found.parts.reduce((all, part) => all + part.seconds, 0);
  const bar = stacked(found.parts, (part) => part.label, (part) => colour(PLACES[part.part]));
  const slow = found.parts.slice().sort((a, b) => b.seconds - a.seconds);
  root.replaceChildren(
    h("p", { class: "lead" }, `${slow[0].label} took the most: ${duration(slow[0].seconds)} of ${duration(found.whole)}.`),
    bar,
    table(["part", "#time", "#share"], slow.map((part) => {
      const swatch = h("span", { class: "swatch" });
      swatch.style.background = colour(PLACES[part.part]);
      return h("tr", null, td([swatch, part.label]), td(duration(part.seconds), "number"), td(`${((100 * part.seconds) / Math.max(found.whole, sum)).toFixed(1)} %`, "number"));
    })),
    h("p", { class: "soft small" }, "Parts may overlap. Seconds of tryouts and evaluations are the env server's, of answers the llm node's, of trainings from the first to the last update, without pauses of the run."),
  );
}

function drawLine(root, found) {
  if (!found.spans.length) {
    root.replaceChildren(empty("Nothing was measured yet."));
    return;
  }
  const first = Math.min(...found.spans.map((span) => span.began), ...found.launches.map((each) => each.began));
  const last = Math.max(...found.spans.map((span) => span.ended));
  const parts = [...new Set(found.spans.map((span) => span.part))].sort((a, b) => PLACES[a] - PLACES[b]);
  const x = (at) => 90 + ((WIDTH - 100) * (at - first)) / Math.max(last - first, 1e-3);
  const height = parts.length * ROW + 26;
  const marks = [0, 0.25, 0.5, 0.75, 1].map((share) => first + share * (last - first));
  root.replaceChildren(
    svg(
      "svg",
      { viewBox: `0 0 ${WIDTH} ${height}`, class: "timeline", role: "img", "aria-label": "parts over time" },
      marks.map((at, place) => [
        svg("line", { x1: x(at), x2: x(at), y1: 0, y2: height - 22, class: "grid" }),
        svg("text", { x: x(at), y: height - 6, "text-anchor": place === 0 ? "start" : place === 4 ? "end" : "middle" }, clock(at)),
      ]),
      parts.map((part, row) => svg("text", { x: 0, y: row * ROW + 17 }, part)),
      found.spans.map((span) =>
        svg("rect", { x: x(span.began), width: Math.max(x(span.ended) - x(span.began), 1.5), y: parts.indexOf(span.part) * ROW + 4, height: ROW - 8, rx: 2, fill: colour(PLACES[span.part]) }, svg("title", {}, `${span.words}${span.number > 1 ? ` and ${span.number - 1} more` : ""}: ${duration(span.seconds)}`)),
      ),
    ),
  );
}

function drawSpeed(root, found) {
  const { speeds, all_speeds: all } = found;
  fill(
    root,
    speeds.length
      ? [all > speeds.length ? h("p", { class: "soft small" }, `Of ${all} trainings the newest ${speeds.length}:`) : "", table(["policy", "#samples", "#time", "#samples a second, mean", "#at its end"], speeds.map((each) => h("tr", null, td(title(each.policy)), td(count(each.samples), "number"), td(duration(each.seconds), "number"), td(count(each.mean), "number"), td(count(each.last), "number"))))]
      : empty("No policy has been trained yet."),
  );
}
