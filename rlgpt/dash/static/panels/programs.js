// The code of each coded action: what it is for, how often it succeeded, and its source.

import { get, ofRun } from "../api.js";
import { empty, h, mark, table, td } from "../dom.js";
import { plural } from "../format.js";
import { Loaded } from "./loading.js";

const ROLES = { stage: "sub-action", macro: "coded action of a policy", guard: "guard" };

export function programs(root, context, rest) {
  const list = h("div", { class: "list" });
  const shown = h("div", { class: "shown" });
  root.append(h("h2", null, "Programs"), h("div", { class: "split" }, list, shown));
  let found = [];
  let wanted = rest;
  const loaded = new Loaded(context, "episodes", () => get(ofRun(context.run, "programs")), (programs) => {
    found = programs;
    draw();
  }, list);

  function draw() {
    if (!found.length) {
      list.replaceChildren(empty("No program has been run yet."));
      shown.replaceChildren();
      return;
    }
    const chosen = wanted ? found.find((each) => each.id === wanted) : found[0];
    list.replaceChildren(
      ...found.map((each) => {
        const last = each.uses.at(-1);
        return h(
          "a",
          { class: `entry ${each === chosen ? "active" : ""}`, href: context.address("programs", each.id) },
          h("b", null, each.name),
          h("span", { class: "soft small" }, ROLES[each.role], each.episodes ? ` · ${each.successes} of ${each.episodes}` : ""),
          last && h("span", { class: "soft small" }, `last in ${last.words}`),
        );
      }),
    );
    shown.replaceChildren(...(chosen ? one(chosen, context) : [empty(`There is no program ${wanted} in this run.`)]));
  }

  return {
    update: (changed) => loaded.update(changed),
    route(to) {
      wanted = to;
      draw();
    },
    unmount: () => loaded.end(),
  };
}

function one(program, context) {
  const times = program.chosen.reduce((sum, each) => sum + each.times, 0);
  return [
    h(
      "section",
      { class: "card" },
      h("header", null, h("h3", null, program.name), mark("", ROLES[program.role]), h("span", { class: "soft" }, `at most ${program.max_steps} steps`)),
      program.purpose && h("p", null, program.purpose),
      program.episodes > 0 && h("p", null, h("b", null, `${program.successes} of ${program.episodes}`), ` episodes in which it ${program.role === "guard" ? "was a guard" : "ran as a sub-action"} succeeded.`),
      times > 0 && h("p", null, "Policies chose it ", h("b", null, `${times}×`), " in their tryouts: ", endings(program.chosen)),
      program.plays > program.uses.length && h("p", { class: "soft small" }, `It ran in ${program.plays} plays; of these the newest ${program.uses.length}:`),
      program.uses.length > 0 &&
        table(
          ["run in", "#succeeded", "how it ended"],
          program.uses.slice().reverse().map((use) =>
            h(
              "tr",
              null,
              td([h("a", { href: context.address("episodes", `of/${encodeURIComponent(use.play)}`) }, use.words), use.macro && h("span", { class: "soft" }, " as a choice of the policy")]),
              td(`${use.successes} of ${use.episodes}`, "number"),
              td(Object.entries(use.endings).map(([words, n]) => `${n}× ${words}`).join("; "), "soft"),
            ),
          ),
        ),
    ),
    h("section", { class: "card code" }, code(program.source)),
  ];
}

function endings(uses) {
  const sum = {};
  for (const use of uses) for (const [words, n] of Object.entries(use.endings)) sum[words] = (sum[words] || 0) + n;
  return Object.entries(sum).map(([words, n]) => `${n}× ${words}`).join(", ") || plural(uses.length, "training");
}

export function code(rows) {
  return h(
    "pre",
    { class: "code", tabIndex: 0 },
    rows.map((row) => h("span", { class: "row" }, row.map(([kind, piece]) => (kind ? h("span", { class: kind }, piece) : piece)), "\n")),
  );
}
