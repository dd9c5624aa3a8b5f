// Which goal of a run is shown, where it was given several: the newest, unless another is chosen.

import { fill, h } from "../dom.js";

// ``choose`` is called with the id of a goal.
export function goalChoice(context, choose) {
  const select = h("select", { "aria-label": "goal", onchange: () => choose(select.value) });
  const note = h("span", { class: "soft" });
  const element = h("p", { class: "links goals" }, h("label", null, "goal ", select), note);
  element.hidden = true;
  let known = "";
  return {
    element,
    show(found) {
      element.hidden = found.all_goals < 2;
      if (element.hidden) return;
      const goals = [...found.goals].reverse();
      if (!goals.some(({ id }) => id === found.goal)) goals.push({ id: found.goal, outcome: "an older one" });
      const now = JSON.stringify(goals);
      if (now !== known) { // else a list that is open would be closed
        known = now;
        select.replaceChildren(...goals.map(({ id, outcome }, place) => h("option", { value: id }, `${id}: ${outcome}${place ? "" : " (the newest)"}`)));
      }
      select.value = found.goal;
      const of = `of/${encodeURIComponent(found.goal)}`;
      fill(
        note,
        `${found.reached_goals} of ${found.all_goals} goals reached; of this one `,
        h("a", { href: context.address("episodes", of) }, "the episodes"), ", ",
        h("a", { href: context.address("learning", of) }, "the policies"), ", ",
        h("a", { href: context.address("model", of) }, "the questions"),
      );
    },
  };
}
