// The parameters of the nodes that run; those that are live can be set here.

import { get, ofRun, postJson } from "../api.js";
import { empty, h, keyed, text } from "../dom.js";

const AGAIN = 5000; // ms between two readings: others may set them too

export function parameters(root, context) {
  const all = h("input", { type: "checkbox", onchange: () => draw() });
  const said = h("p", { class: "said" }, "");
  const over = h("span", { class: "soft" }, "");
  const list = h("section");
  root.append(
    h("h2", null, "Parameters"),
    h("p", { class: "soft" }, "What can be set while the nodes run, from when it counts: docs/debugging.md. What is set is kept over restarts until it is reset."),
    h("form", { class: "filter", onsubmit: (event) => event.preventDefault() }, h("label", null, all, "also those that cannot be set")),
    h("p", null, over),
    said,
    list,
  );
  let known = {};
  let asked = false;
  let ended = false;

  // Not before the page's server is connected to the nodes, nor after they have ended.
  function able() {
    const { run, graph } = context.states();
    return run?.kind === "running" && graph;
  }

  async function load() {
    if (!able()) return;
    asked = true;
    try {
      const found = await get(ofRun(context.run, "parameters"));
      if (ended || !context.current()) return;
      known = found;
      draw();
    } catch (error) {
      if (!ended) text(said, error.message);
    }
  }

  async function change(node, name, wanted) {
    text(said, "");
    try {
      known = { ...known, ...(await postJson(ofRun(context.run, "parameters"), { node, ...wanted })) };
      text(said, `${node}: ${name} = ${JSON.stringify(known[node].values[name])}${wanted.reset ? ", as configured" : ""}`);
      draw(`${node}/${name}`);
    } catch (error) {
      text(said, error.message);
    }
  }

  // ``fresh``: the parameter whose field shows the new value, whatever was typed there.
  function draw(fresh) {
    keyed(list, Object.entries(known), ([node]) => node, ([node]) => h("section", { class: "card", "data-node": node }, h("h3", null, node), h("div", { class: "scroll" }, h("table", null, h("tbody")))), (made, [node, found]) => rows(made.querySelector("tbody"), node, found, fresh));
  }

  function rows(body, node, found, fresh) {
    const shown = Object.keys(found.values).filter((name) => all.checked || found.live.includes(name));
    keyed(body, shown, (name) => name, (name) => row(node, name, found.live.includes(name)), (made, name) => {
      const value = found.values[name];
      const configured = name in (found.configured || {});
      const field = made.querySelector("input");
      const written = typeof value === "string" ? value : JSON.stringify(value);
      if (field && (fresh === `${node}/${name}` || field.dataset.value !== written)) field.value = field.dataset.value = written;
      if (!field) text(made.children[1], written);
      text(made.children[2], configured ? `set (configured: ${JSON.stringify(found.configured[name])})` : "");
      const reset = made.querySelector(".reset");
      if (reset) reset.hidden = !configured;
    });
    if (!shown.length && !body.children.length) body.append(h("tr", null, h("td", null, empty("None can be set."))));
  }

  function row(node, name, live) {
    const field = live && h("input", { "aria-label": `${node} ${name}`, autocomplete: "off" });
    const send = (event) => {
      event.preventDefault();
      change(node, name, { values: { [name]: field.value } });
    };
    return h(
      "tr",
      { "data-parameter": name },
      h("td", null, name),
      h("td", null, live ? h("form", { onsubmit: send }, field, h("button", { class: "set", type: "submit" }, "set")) : ""),
      h("td", { class: "soft" }),
      h("td", null, live && h("button", { class: "reset", onclick: () => change(node, name, { reset: [name] }) }, "reset")),
    );
  }

  const timer = setInterval(() => !document.hidden && load(), AGAIN);
  return {
    update(changed) {
      if (changed.has("run")) text(over, context.states().run.kind === "running" ? "" : "No node is running; `config.yaml` of the run folder has what they had.");
      if (!asked) load();
    },
    unmount() {
      ended = true;
      clearInterval(timer);
    },
  };
}
