// Breakpoints before an answer of the language model is used, and the answers that wait at them.

import { get, ofRun, postJson } from "../api.js";
import { empty, fill, fold, h, keyed, mark, text } from "../dom.js";
import { age } from "../format.js";
import { answers } from "./pausing.js";

export function breakpoints(root, context) {
  const said = h("p", { class: "said" }, "");
  const places = h("select", { "aria-label": "where to stop" });
  const set = h("button", { class: "set", type: "submit" }, "stop there");
  const at = h("ul", { class: "plain breaks" });
  const waiting = h("section");
  root.append(
    h("h2", null, "Breakpoints"),
    h(
      "section",
      { class: "card" },
      h("p", { class: "soft" }, "Answers of the language model to questions of a kind wait here before they are used. The agent waits with them, and no deadline runs out."),
      h("form", { class: "filter", onsubmit: (event) => { event.preventDefault(); change(places.value, true); } }, places, set),
      at,
      h("p", { class: "over" }, ""),
      said,
    ),
    h("h2", null, "Answers that wait"),
    waiting,
  );

  async function change(place, stops) {
    text(said, "");
    try {
      await postJson(ofRun(context.run, "breakpoints"), { at: place, stops });
    } catch (error) {
      text(said, error.message);
    }
  }

  let asked = false;

  async function load() {
    asked = true;
    try {
      const found = await get(ofRun(context.run, "breakpoints"));
      if (!context.current()) return;
      if (!places.options.length) {
        const agents = [...new Set(found.places.map((each) => `${each.split("/")[0]}/*`))];
        places.append(...[...found.places, ...agents].map((each) => h("option", { value: each }, each)));
      }
    } catch (error) {
      asked = false;
      if (context.current()) text(said, error.message);
    }
  }

  function draw(state) {
    set.disabled = !answers(context.states().nodes?.find((row) => row.node === "llm"));
    keyed(
      at,
      state.at,
      (place) => place,
      (place) => h("li", { "data-at": place }, h("code", null, place), " ", h("button", { class: "clear", title: "later answers are not held; held answers stay held", onclick: () => change(place, false) }, "clear")),
      () => {},
    );
    keyed(waiting, state.held, (note) => note.id, (note) => held(note, context), (made, note) => text(made.querySelector(".since"), `stopped ${age(note.since)}`));
    const none = waiting.querySelector(".empty");
    if (!state.held.length && !none) waiting.append(empty("No answer waits."));
    else if (state.held.length) none?.remove();
  }

  return {
    update(changed) {
      const { breakpoints: state, run } = context.states();
      const running = run?.kind === "running";
      if (changed.has("run")) text(root.querySelector(".over"), running ? "" : "No node is running: nothing can be stopped.");
      if (!running) {
        if (!waiting.children.length) draw({ at: [], held: [] });
        set.disabled = true; // what was written to an answer stays: the run may be resumed
      } else if (state && (changed.has("breakpoints") || changed.has("nodes") || changed.has("run"))) draw(state);
      if (running && state && !asked) load();
    },
  };
}

// One waiting answer. What is written in its text area stays there until it is used.
function held(note, context) {
  const said = h("div", { class: "said" });
  const body = h("div", null, empty("It is being fetched …"));
  const made = h(
    "section",
    { class: "card held", "data-question": note.id },
    h("header", null, h("h3", null, `${note.agent}/${note.kind}`), note.answered ? null : mark("bad", "no valid answer"), h("span", { class: "soft since" }, ""), h("span", { class: "soft" }, note.answered ? `answered by ${note.model}` : "")),
    h("p", { class: "soft small" }, note.id),
    body,
    said,
  );
  get(ofRun(context.run, "held", { id: note.id })).then(show, (error) => body.replaceChildren(empty(error.message)));

  function show(found) {
    const written = h("textarea", { rows: Math.min(Math.max(found.draft.split("\n").length + 1, 8), 40), spellcheck: false, "aria-label": "the answer, to be edited" });
    written.value = found.draft;
    const send = async (answer, doing) => {
      said.replaceChildren(doing);
      try {
        const used = await postJson(ofRun(context.run, "held"), { id: note.id, answer });
        if (used.problems.length) said.replaceChildren(h("p", null, "It is not used, and the answer still waits:"), h("ul", null, used.problems.map((each) => h("li", null, each))));
        else said.replaceChildren(used.edited ? "It is used as you wrote it." : "It is used as it was.");
      } catch (error) {
        said.replaceChildren(error.message);
      }
    };
    fill(
      body,
      found.failure && h("p", { class: "said" }, found.failure),
      found.problems.length > 0 && h("div", null, h("h4", null, "What the agent would find wrong with it"), h("ul", null, found.problems.map((each) => h("li", null, each)))),
      fold(`held/${note.id}`, "prompt", () => h("pre", { class: "plain" }, found.prompt)),
      h("h4", null, "The answer, as YAML (JSON is accepted too)"),
      written,
      h(
        "p",
        { class: "links" },
        h("button", { class: "use", onclick: () => send(written.value, "It is being checked …") }, "use what is written here"),
        h("button", { class: "continue", title: "what is written above is not used", onclick: () => send(null, "…") }, note.answered ? "use the model's answer" : "go on without an answer"),
        h("button", { class: "undo", onclick: () => { written.value = found.draft; } }, "undo my changes"),
      ),
    );
  }
  return made;
}
