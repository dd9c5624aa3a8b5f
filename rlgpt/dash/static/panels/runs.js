// All runs beside this one, and some of them side by side.

import { get, ofRun } from "../api.js";
import { chart, joined } from "../chart.js";
import { empty, h, mark, table, td } from "../dom.js";
import { age, bytes, count, duration, rate } from "../format.js";

const TAG = "episode/success_rate";
const KINDS = { running: "going", reached: "good", done: "good", not_reached: "bad", failed: "bad", interrupted: "warn", unfinished: "warn" };

export function runs(root, context, rest) {
  const list = h("section", { class: "card" });
  const compared = h("section");
  root.append(h("h2", null, "Runs"), list, compared);
  const chosen = new Set((rest || "").split("/").filter(Boolean));
  let drawn = null;
  let ended = false;

  async function load() {
    const found = await get("/api/runs").catch((error) => ({ error }));
    if (ended) return;
    if (found.error) {
      list.replaceChildren(empty(`The runs cannot be listed: ${found.error.message}`));
      return;
    }
    list.replaceChildren(
      table(
        ["", "run", "state", "goal", "#success", "#samples", "began", "#size"],
        found.runs.map((run) => {
          const box = h("input", { type: "checkbox", checked: chosen.has(run.run), "aria-label": `compare ${run.run}`, onchange: (event) => {
            if (event.target.checked) chosen.add(run.run);
            else chosen.delete(run.run);
            compare();
          } });
          return h(
            "tr",
            { class: run.run === context.run ? "active" : "" },
            td(box),
            td(h("a", { href: context.address("overview", "", run.run) }, run.run)),
            td(mark(KINDS[run.state] || "", run.state.replace("_", " "))),
            td(run.goal),
            td([rate(run.success_rate), run.success_of && run.success_rate !== null && h("small", { class: "soft", title: run.success_of }, " best iteration")], "number"),
            td(count(run.samples), "number"),
            td(age(run.began), "soft"),
            td(bytes(run.bytes), "number"),
          );
        }),
        "pick",
      ),
      h("p", { class: "soft small" }, "Choose two or more to see them side by side."),
    );
    compare();
  }

  async function compare() {
    drawn?.end();
    drawn = null;
    const names = [...chosen];
    const late = () => ended || JSON.stringify(names) !== JSON.stringify([...chosen]);
    if (names.length < 2) {
      compared.replaceChildren();
      return;
    }
    try {
      const found = await get(`/api/compare?${new URLSearchParams(names.map((name) => ["run", name]))}`);
      if (late()) return;
      const plot = h("div", { class: "plot" });
      compared.replaceChildren(h("h2", null, "Side by side"), h("section", { class: "card" }, sideBySide(found)), h("h2", null, "Success rate in training"), h("section", { class: "card" }, plot));
      await curvesOf(names, plot);
    } catch (error) {
      if (!late()) compared.replaceChildren(empty(error.message));
    }
  }

  // Of each run the longest training.
  async function curvesOf(names, plot) {
    const series = [];
    for (const name of names) {
      const lines = (await get(ofRun(name, "curves"))).filter((line) => line.tag === TAG);
      const longest = lines.sort((a, b) => b.last - a.last)[0];
      if (!longest) continue;
      const found = await get(ofRun(name, "points", { tag: TAG, policy: longest.policy, columns: plot.clientWidth || 800 }));
      series.push([name, found.series[0]]);
    }
    if (ended || !plot.isConnected) return;
    drawn = chart(plot, { height: 280, range: () => [0, 1.02] });
    if (series.length) drawn.set(joined(series.map(([, each]) => each)), series.map(([name]) => name));
    else drawn.none("None of them has trained a policy.");
  }

  load();
  const timer = setInterval(() => !document.hidden && !compared.children.length && load(), 10000);
  return {
    route() {},
    unmount() {
      ended = true;
      clearInterval(timer);
      drawn?.end();
    },
  };
}

function sideBySide(found) {
  const each = (value) => found.runs.map(value);
  const rows = [
    ["state", each((run) => run.state?.kind.replace("_", " ") ?? "-")],
    ["goal", each((run) => run.task?.id ?? "-")],
    ["success", found.success.map((each) => `${rate(each.rate)}${each.rate === null || each.whole ? "" : " (best iteration)"}`)],
    ...Object.entries(found.subtasks).map(([name, rates]) => [`  ${name}`, rates.map(rate)]),
    ["iterations", each((run) => run.iterations.length)],
    ["samples", each((run) => count(run.samples.total))],
    ["  training", each((run) => count(run.samples.training))],
    ["  tryouts", each((run) => count(run.samples.trial))],
    ["  evaluation", each((run) => count(run.samples.evaluation))],
    ["questions", each((run) => run.questions.count)],
    ["tokens read, written", each((run) => `${count(run.questions.prompt_tokens)}, ${count(run.questions.completion_tokens)}`)],
    ["time", each((run) => duration(run.wall_seconds))],
    ["restarts", each((run) => Object.values(run.restarts).reduce((sum, n) => sum + n, 0))],
    ...Object.entries(found.settings).map(([name, values]) => [name, values.map((value) => (value === null ? "-" : JSON.stringify(value)))]),
  ];
  return table(["", ...found.runs.map((run) => run.run)], rows.map(([name, values]) => h("tr", null, h("td", { class: "soft" }, name), values.map((value) => td(value)))), "sides");
}
