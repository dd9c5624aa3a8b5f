// The log of all nodes, merged by time.

import { get, ofRun } from "../api.js";
import { empty, h } from "../dom.js";

const LEVELS = ["debug", "info", "warning", "error", "critical"];
const KEPT = 3000;

export function log(root, context) {
  const asked = { node: "", level: "debug", words: "" };
  const node = h("select", { "aria-label": "node", onchange: () => ask({ node: node.value }) }, h("option", { value: "" }, "all nodes"));
  const level = h("select", { "aria-label": "level", onchange: () => ask({ level: level.value }) }, LEVELS.slice(0, 4).map((each) => h("option", { value: each }, `${each} or worse`)));
  const words = h("input", { type: "search", placeholder: "words", "aria-label": "words", oninput: () => ask({ words: words.value.toLowerCase() }) });
  const follow = h("input", { type: "checkbox", checked: true });
  const lines = h("div", { class: "lines" });
  root.append(h("h2", null, "Log"), h("form", { class: "filter", onsubmit: (event) => event.preventDefault() }, node, level, words, h("label", null, follow, "follow")), lines);
  let entries = [];
  let newest = 0;
  let of = null; // which numbers these are: a server of the page that was started again has others
  let busy = false;
  let again = false;
  let ended = false;

  const fits = ({ entry }) => (!asked.node || entry.node === asked.node) && (!LEVELS.includes(entry.level) || LEVELS.indexOf(entry.level) >= LEVELS.indexOf(asked.level)) && (!asked.words || entry.text.toLowerCase().includes(asked.words));

  function ask(change) {
    Object.assign(asked, change);
    lines.replaceChildren();
    add(entries);
  }

  function add(fresh) {
    const made = fresh.filter(fits).map(({ entry }) =>
      h("div", { class: `entry ${entry.level}` }, h("time", null, entry.time.slice(11, 23)), h("b", null, entry.node), h("span", null, entry.text)),
    );
    lines.append(...made);
    while (lines.children.length > KEPT) lines.firstChild.remove();
    if (follow.checked) lines.scrollTop = lines.scrollHeight;
  }

  async function load() {
    again = busy;
    if (busy || ended) return;
    busy = true;
    const found = await get(ofRun(context.run, "log", { after: newest, of })).catch(() => null);
    busy = false;
    if (found && !ended && context.current()) show(found);
    if (again) load();
  }

  function show(found) {
    if (found.of !== of) {
      entries = [];
      lines.replaceChildren();
    }
    newest = found.newest;
    of = found.of;
    entries = [...entries, ...found.entries].slice(-KEPT);
    for (const name of new Set(found.entries.map(({ entry }) => entry.node))) {
      if (![...node.options].some((option) => option.value === name)) node.append(h("option", { value: name }, name));
    }
    add(found.entries);
    if (!entries.length && !lines.children.length) lines.append(empty("Nothing was logged yet."));
    else lines.querySelector(".empty")?.remove();
  }

  return {
    update(changed) {
      const state = context.states().log;
      if (changed.has("log") && state && (state.newest !== newest || state.of !== of)) load();
    },
    unmount() { ended = true; },
  };
}
