// The graph of nodes and what goes between them, with rates. It is laid out only when it changes.

import { h, svg, table, td, text, keyed } from "../dom.js";
import { count } from "../format.js";
import * as dagre from "../vendor/dagre-3.1.3/dagre.esm.js";

const OF_EVERY_NODE = ["heartbeat", "diagnostics", "description", "describe", "get_parameters", "set_parameters", "list_files", "read_file"];

export function graph(root, context) {
  const every = h("input", { type: "checkbox", onchange: () => draw(true) });
  const place = h("section", { class: "card graphbox" });
  const body = h("tbody");
  root.append(
    h("h2", null, "Nodes, and what goes between them"),
    h("form", { class: "filter" }, h("label", null, every, "also what every node has, and tools"), h("span", { class: "legend" }, h("i", { class: "topic" }), "topic", h("i", { class: "service" }), "service", h("i", { class: "action" }), "action")),
    place,
    h("h2", null, "Topics"),
    h("section", { class: "card" }, table(["topic", "#messages a second", "#KiB a second", "#messages", "#missed"], [])),
  );
  root.querySelector("table tbody").replaceWith(body);
  let shape = "";
  let labels = [];

  function arrows(found) {
    const seen = new Map();
    for (const edge of found.edges) {
      const name = edge.name.slice(edge.owner.length + 1);
      if (!every.checked && OF_EVERY_NODE.includes(name)) continue;
      const [from, to] = edge.kind === "topic" ? [edge.owner, edge.user] : [edge.user, edge.owner];
      const key = `${from} ${to}`;
      if (!seen.has(key)) seen.set(key, { from, to, names: [] });
      seen.get(key).names.push({ name, topic: edge.name, kind: edge.kind });
    }
    return [...seen.values()];
  }

  function draw(force = false) {
    const found = context.states().graph;
    if (!found) {
      text(place, context.states().run?.kind === "running" ? "The nodes are asked who uses what …" : "The graph is of a run that goes on: nodes know what they use while they run.");
      return;
    }
    const edges = arrows(found);
    const now = JSON.stringify([found.nodes, edges]);
    if (!force && now === shape) return;
    shape = now;
    labels = [];
    place.replaceChildren(lay(found.nodes, edges, labels));
    rates();
  }

  function rates() {
    const known = new Map((context.states().rates || []).map((row) => [row.topic, row]));
    for (const { element, topic, node } of labels) {
      const sum = node ? [...known.values()].filter((row) => row.topic.startsWith(`${node}/`)).reduce((all, row) => all + row.hz, 0) : known.get(topic)?.hz;
      const hz = sum ? `${sum >= 10 ? Math.round(sum) : sum.toFixed(1)}/s` : "";
      text(element, node ? (hz ? `publishes ${hz}` : "") : hz && ` ${hz}`);
    }
    keyed(
      body,
      context.states().rates || [],
      (row) => row.topic,
      (row) => h("tr", null, td(row.topic), td("", "number"), td("", "number"), td("", "number"), td("", "number")),
      (made, row) => {
        [null, row.hz.toFixed(2), row.kib.toFixed(1), count(row.count), row.missed || ""].forEach((value, i) => value !== null && text(made.children[i], value));
        made.classList.toggle("soft", !row.hz);
      },
    );
  }

  draw();
  return {
    update(changed) {
      if (changed.has("graph") || (changed.has("run") && !shape)) draw();
      if (changed.has("rates")) rates();
    },
  };
}

function lay(nodes, edges, labels) {
  const made = new dagre.Graph({ multigraph: false });
  made.setGraph({ rankdir: "LR", nodesep: 34, ranksep: 80, edgesep: 22, marginx: 12, marginy: 12 });
  made.setDefaultEdgeLabel(() => ({}));
  for (const node of nodes) made.setNode(node, { width: Math.max(26 + node.length * 8, 104), height: 46 });
  for (const edge of edges) {
    const longest = Math.max(...edge.names.map(({ name, kind }) => name.length + (kind === "topic" ? 7 : 0)));
    made.setEdge(edge.from, edge.to, { width: longest * 6.4 + 8, height: edge.names.length * 15 + 4, labelpos: "c", edge });
  }
  dagre.layout(made);
  const { width, height } = made.graph();
  const drawn = svg("svg", { viewBox: `0 0 ${Math.ceil(width)} ${Math.ceil(height)}`, class: "graph", width: Math.ceil(width), height: Math.ceil(height), role: "img", "aria-label": "graph of the nodes" });
  drawn.append(svg("defs", {}, svg("marker", { id: "tip", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" }, svg("path", { d: "M0 0L8 4L0 8z", class: "tip" }))));
  for (const key of made.edges()) {
    const { points } = made.edge(key);
    drawn.append(svg("path", { class: "edge", d: curve(points), "marker-end": "url(#tip)" }));
  }
  for (const key of made.edges()) {
    const { x, y, width: wide, height: high, edge } = made.edge(key);
    drawn.append(svg("rect", { class: "label", x: x - wide / 2, y: y - high / 2, width: wide, height: high, rx: 4 }));
    edge.names.forEach(({ name, topic, kind }, i) => {
      const rate = svg("tspan", { class: "hz" });
      if (kind === "topic") labels.push({ element: rate, topic });
      drawn.append(svg("text", { class: `name ${kind}`, x: x - wide / 2 + 4, y: y - high / 2 + 13 + i * 15 }, name, rate));
    });
  }
  for (const node of nodes) {
    const { x, y, width: wide, height: high } = made.node(node);
    const rate = svg("text", { class: "name topic", x, y: y + 15, "text-anchor": "middle" });
    labels.push({ element: rate, node });
    drawn.append(svg("rect", { class: "node", x: x - wide / 2, y: y - high / 2, width: wide, height: high, rx: 8 }), svg("text", { class: "node", x, y: y - 1, "text-anchor": "middle" }, node), rate);
  }
  return drawn;
}

function curve(points) {
  const [first, ...others] = points;
  let path = `M${first.x} ${first.y}`;
  for (let i = 0; i < others.length - 1; i += 1) {
    const next = others[i + 1];
    const middle = i === others.length - 2 ? next : { x: (others[i].x + next.x) / 2, y: (others[i].y + next.y) / 2 };
    path += ` Q${others[i].x} ${others[i].y} ${middle.x} ${middle.y}`;
  }
  return others.length === 1 ? `${path} L${others[0].x} ${others[0].y}` : path;
}
