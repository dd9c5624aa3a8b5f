// The page: which run and which panel, the list of panels at the side, and the connection.

import { get } from "./api.js";
import { Connection } from "./connection.js";
import { empty, h, text } from "./dom.js";
import { breakpoints } from "./panels/breakpoints.js";
import { conversation } from "./panels/conversation.js";
import { curves } from "./panels/curves.js";
import { episodes } from "./panels/episodes.js";
import { graph } from "./panels/graph.js";
import { log } from "./panels/log.js";
import { nodes } from "./panels/nodes.js";
import { overview } from "./panels/overview.js";
import { parameters } from "./panels/parameters.js";
import { programs } from "./panels/programs.js";
import { runs } from "./panels/runs.js";
import { times } from "./panels/times.js";
import { world } from "./panels/world.js";

const PANELS = [
  ["overview", "Overview", overview, "what it does, the plan, the verdicts"],
  ["programs", "Programs", programs, "the code of each coded action"],
  ["learning", "Learning", curves, "curves of each policy"],
  ["episodes", "Episodes", episodes, "every episode, to be played again"],
  ["model", "Language model", conversation, "questions and answers"],
  ["breakpoints", "Breakpoints", breakpoints, "answers that wait, to be edited"],
  ["world", "World", world, "what the player sees"],
  ["nodes", "Nodes", nodes, "states, pauses, restarts, memory"],
  ["parameters", "Parameters", parameters, "what can be set while it runs"],
  ["graph", "Graph", graph, "who sends what to whom"],
  ["time", "Time", times, "where the time goes"],
  ["log", "Log", log, "of all nodes"],
  ["runs", "Runs", runs, "past runs side by side"],
];
const BADGES = {
  running: "going", reached: "good", done: "good", not_reached: "bad", failed: "bad",
  interrupted: "warn", stopped: "", unfinished: "warn",
};

const page = { run: null, panel: null, rest: "", connection: null, shown: null };
const side = build();

function build() {
  const run = h("a", { class: "run", href: "#" }, "");
  const state = h("span", { class: "mark" }, "");
  const line = h("p", { class: "soft small" }, "");
  const links = PANELS.map(([id, name, , title]) => h("a", { href: "#", title, "data-panel": id }, name));
  const dot = h("span", { class: "dot" });
  const connected = h("span", null, "connecting");
  document.getElementById("side").append(
    h("header", null, h("div", { class: "brand" }, "RL-GPT"), run, state, line),
    h("nav", { "aria-label": "Panels" }, links),
    h("footer", null, dot, connected),
  );
  return { run, state, line, links, dot, connected };
}

export function address(panel, rest = "", run = page.run) {
  return `#/${encodeURIComponent(run)}/${panel}${rest ? `/${rest}` : ""}`;
}

// A part of an address; one that no page has encoded is taken as it is.
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

async function route() {
  const [, run, panel, ...rest] = location.hash.split("/").map(decoded);
  if (!run) {
    try {
      const found = await get("/api/runs");
      location.replace(address("overview", "", found.first));
    } catch (error) {
      document.getElementById("main").replaceChildren(empty(`The runs cannot be listed: ${error.message}`));
    }
    return;
  }
  if (run !== page.run) follow(run);
  show(PANELS.find(([id]) => id === panel) || PANELS[0], rest.join("/"));
}

function follow(run) {
  page.connection?.close();
  page.shown?.unmount?.();
  page.shown = null;
  page.panel = null;
  page.run = run;
  document.title = `${run} · RL-GPT`;
  text(side.run, run);
  side.run.href = address("runs");
  side.state.className = "mark";
  for (const each of [side.state, side.line]) text(each, ""); // of the run before
  for (const link of side.links) link.href = address(link.dataset.panel);
  page.connection = new Connection(run, changed, connected);
}

function show([id, , panel], rest) {
  for (const link of side.links) link.classList.toggle("active", link.dataset.panel === id);
  if (page.panel === id) {
    page.rest = rest;
    page.shown?.route?.(rest);
    return;
  }
  page.shown?.unmount?.();
  page.panel = id;
  page.rest = rest;
  const root = document.getElementById("main");
  root.className = `panel ${id}`;
  root.replaceChildren();
  scrollTo(0, 0);
  page.shown = panel(root, context(), rest);
  page.shown.update?.(new Set(Object.keys(page.connection.states)));
}

function context() {
  const run = page.run;
  return {
    run,
    states: () => page.connection.states,
    address: (panel, rest, other = run) => address(panel, rest, other),
    go: (panel, rest) => { location.hash = address(panel, rest, run); },
    // An answer that came late is dropped, where another run is shown by then.
    current: () => page.run === run,
  };
}

function changed(channels) {
  if (channels.has("run")) {
    const { kind, text: words } = page.connection.states.run;
    side.state.className = `mark ${BADGES[kind] || ""}`;
    text(side.state, kind.replace("_", " "));
    text(side.line, words);
  }
  if (channels.has("breakpoints") || channels.has("run")) {
    const { run: state, breakpoints: stopped } = page.connection.states;
    const held = state?.kind === "running" && stopped ? stopped.held.length : 0;
    const link = side.links.find((each) => each.dataset.panel === "breakpoints");
    text(link, held ? `Breakpoints (${held})` : "Breakpoints");
    link.classList.toggle("calls", held > 0);
  }
  page.shown?.update?.(channels);
}

function connected(open) {
  side.dot.classList.toggle("on", open);
  text(side.connected, open ? "connected" : "no connection, trying again");
  document.body.classList.toggle("offline", !open);
  if (!open) lookFor(page.run);
  else if (page.panel === null) route();
}

// An unknown run, as in an old address, would be waited for without a message.
async function lookFor(run) {
  const found = await get("/api/runs").catch(() => null);
  if (!found || page.run !== run || page.connection.open || page.panel === "runs") return;
  if (found.runs.some((each) => each.run === run)) return;
  page.shown?.unmount?.();
  page.shown = page.panel = null;
  const others = h("a", { href: address("runs") }, "Runs");
  document.getElementById("main").replaceChildren(h("p", null, `There is no run ${run} here. `, others, " has those that there are."));
}

addEventListener("hashchange", route);
route();
globalThis.rlgptPage = page; // for tests and the curious: nothing of the page reads it
