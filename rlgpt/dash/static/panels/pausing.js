// Pausing a node, letting it go on, and single steps: buttons for a row of the nodes and for the world.

import { ofRun, post } from "../api.js";
import { h, text } from "../dom.js";
import { clock, plural } from "../format.js";

// ``said``: where it is reported how it went. ``steps``: gives how many steps are to be taken.
export function pauseButtons(context, node, said, steps = () => 1) {
  const act = async (what, doing, query) => {
    text(said, doing);
    try {
      const done = await post(ofRun(context.run, `nodes/${encodeURIComponent(node)}/${what}`, query));
      text(said, done.text);
    } catch (error) {
      text(said, error.message);
    }
  };
  const toggle = h("button", { class: "pause", onclick: () => (toggle.dataset.paused ? act("continue", `letting ${node} go on …`) : act("pause", `pausing ${node} …`)) }, "pause");
  const step = h("button", { class: "step", title: "take steps: of its worlds, or requests; it is paused before if it is not", onclick: () => act("step", `${node} takes a step …`, { count: steps() }) }, "step");
  return {
    elements: [toggle, step],
    update(paused, able) {
      toggle.dataset.paused = paused ? "yes" : "";
      text(toggle, paused ? "continue" : "pause");
      toggle.title = paused ? "let it go on" : "begin nothing new until it goes on; a restart does not end a pause";
      toggle.disabled = step.disabled = !able;
    },
  };
}

// Whether a node can be called: with a launcher, or run by itself.
export function answers(row) {
  return row?.state === "ready" || row?.state === "running without a launcher";
}

// What a node's state ``pauses`` has, in words; "" where it is not paused.
export function pauseWords(pause) {
  if (!pause?.paused) return "";
  const waits = pause.waiting.length ? `, waits with ${[...new Set(pause.waiting)].join(", ")}` : "";
  return `paused${pause.by ? ` by ${pause.by}` : ""} at ${clock(pause.since)}, ${plural(pause.taken, "step")} taken since${waits}`;
}
