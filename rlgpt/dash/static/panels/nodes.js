// The nodes: states, memory over time, and the buttons that restart or kill one.

import { get, ofRun, post } from "../api.js";
import { chart } from "../chart.js";
import { empty, h, keyed, mark, text } from "../dom.js";
import { bytes, duration } from "../format.js";
import { answers, pauseButtons, pauseWords } from "./pausing.js";

const KINDS = { ready: "good", paused: "warn", starting: "going", waiting: "warn", failed: "bad", stopped: "", released: "warn" };

export function nodeStrip(root, context) {
  keyed(
    root,
    context.states().nodes || [],
    (row) => row.node,
    (row) => h("a", { class: "pill", href: context.address("nodes") }, h("span", { class: "dot" }), row.node),
    (made, row) => {
      made.firstChild.className = `dot ${row.state === "ready" ? "on" : row.state === "not running" ? "" : "wrong"}`;
      made.classList.toggle("busy", row.busy.length > 0);
      made.title = `${row.state}${row.restarts ? `, restarted ${row.restarts}×` : ""}`;
    },
  );
}

export function nodes(root, context) {
  const body = h("tbody");
  const said = h("p", { class: "said" }, "");
  const memory = h("div", { class: "plot" });
  const gpus = h("section");
  root.append(
    h("h2", null, "Nodes"),
    h("section", { class: "card scroll" }, h("table", { class: "nodes" }, h("thead", null, h("tr", null, ["node", "state", "works on", "up", "memory", "restarts", "process", ""].map((n) => h("th", null, n)))), body), said),
    h("h2", null, "Memory of the nodes"),
    h("section", { class: "card" }, memory),
    gpus,
  );
  const drawn = chart(memory, { unit: (v) => bytes(v), time: true, height: 220 });
  const load = async () => {
    const found = await get(ofRun(context.run, "memory")).catch(() => null);
    if (!found || !context.current()) return;
    const names = Object.keys(found.series);
    if (!found.times.length) drawn.none("Memory is measured while this page's server watches a run that goes on.");
    else drawn.set([found.times, ...names.map((name) => found.series[name])], names);
  };
  load();
  const timer = setInterval(() => !document.hidden && load(), 3000);
  return {
    update(changed) {
      if (changed.has("nodes") || changed.has("pauses")) rows(body, said, context);
      if (changed.has("gpus")) showGpus(gpus, context.states().gpus);
    },
    unmount() {
      clearInterval(timer);
      drawn.end();
    },
  };
}

function rows(body, said, context) {
  keyed(
    body,
    context.states().nodes || [],
    (row) => row.node,
    (row) => make(row.node, said, context),
    (made, row) => {
      const [, state, works, up, memory, restarts, process, buttons] = made.children;
      const paused = row.paused && row.state === "ready";
      const shown = paused ? "paused" : row.state;
      if (state.textContent !== shown) state.replaceChildren(mark(KINDS[shown] || "", shown));
      const words = paused ? pauseWords(context.states().pauses?.[row.node]) : "";
      text(works, [row.busy.map(shortGoal).join(", "), words || row.notes.join("; ")].filter(Boolean).join(" · "));
      works.title = row.busy.join("\n");
      text(up, row.pid ? duration(row.uptime) : "");
      text(memory, row.pid ? bytes(row.memory) : "");
      text(restarts, row.restarts || "");
      text(process, row.pid || "");
      const launched = context.states().run?.launched;
      for (const button of buttons.querySelectorAll(".restart, .kill")) button.disabled = !launched;
      made.pausing.update(row.paused, answers(row));
    },
  );
  if (!body.children.length) body.append(h("tr", null, h("td", null, empty("There are no nodes."))));
}

function shortGoal(goal) {
  return goal.split("/").slice(-2).join("/");
}

function make(node, said, context) {
  const act = async (what, doing) => {
    text(said, `${doing} ${node} …`);
    try {
      const state = await post(ofRun(context.run, `nodes/${encodeURIComponent(node)}/${what}`));
      text(said, `${node} is ${state.state}`);
    } catch (error) {
      text(said, error.message);
    }
  };
  const pausing = pauseButtons(context, node, said);
  const made = h(
    "tr",
    { "data-node": node },
    h("td", null, h("b", null, node)),
    h("td"),
    h("td", { class: "works soft" }),
    h("td", { class: "number" }),
    h("td", { class: "number" }),
    h("td", { class: "number" }),
    h("td", { class: "number soft" }),
    h(
      "td",
      { class: "buttons" },
      pausing.elements,
      h("button", { class: "restart", title: "stop it in order and start it again, with the code as it is on disk", onclick: () => act("restart", "restarting") }, "restart"),
      h("button", { class: "kill", title: "end it at once; it is started again like any that ended by itself", onclick: () => act("kill", "killing") }, "kill"),
    ),
  );
  made.pausing = pausing;
  return made;
}

function showGpus(root, found) {
  if (!found?.length) {
    root.replaceChildren(h("h2", null, "GPU"), h("section", { class: "card" }, empty("No GPU was found on this machine.")));
    return;
  }
  root.replaceChildren(
    h("h2", null, "GPU"),
    h(
      "section",
      { class: "card" },
      found.map((gpu) => {
        const bar = h("div", { class: "bar" }, h("i"));
        bar.firstChild.style.width = `${(100 * gpu.used) / Math.max(gpu.total, 1)}%`;
        return h("div", null, h("p", null, h("b", null, `${gpu.index}: ${gpu.name}`), ` ${bytes(gpu.used)} of ${bytes(gpu.total)}`, gpu.busy !== null && `, ${gpu.busy} % busy`), bar);
      }),
    ),
  );
}
