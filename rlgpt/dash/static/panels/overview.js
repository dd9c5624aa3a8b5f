// What is it doing, how far is it, and why did each iteration end as it did?

import { get, ofRun } from "../api.js";
import { chips, empty, fill, fold, h, mark, refill, table, td, text } from "../dom.js";
import { count, duration, plural, rate } from "../format.js";
import { goalChoice } from "./goal_choice.js";
import { Loaded } from "./loading.js";
import { nodeStrip } from "./nodes.js";

export function overview(root, context, rest) {
  const head = h("header", { class: "head" });
  const now = h("section", { class: "card now" });
  const figures = h("dl", { class: "figures" });
  const strip = h("div", { class: "strip" });
  const stopped = h("p", { class: "said stopped" });
  const failed = h("section");
  const plan = h("section");
  let planned = ""; // what of the plan is drawn
  const more = h("section");
  let goal = goalOf(rest); // "" is the newest
  const choice = goalChoice(context, (id) => context.go("overview", `goal/${encodeURIComponent(id)}`));
  root.append(head, choice.element, stopped, now, figures, strip, failed, plan, more);
  const activity = nowCard(now, context);
  const loaded = new Loaded(
    context,
    "account",
    () => get(ofRun(context.run, "plan", { goal })),
    (found) => {
      showHead(head, found);
      choice.show(found);
      showFigures(figures, found);
      failed.replaceChildren();
      const wanted = JSON.stringify(found.subtasks);
      if (wanted !== planned) refill(plan, planTree(found, context));
      planned = wanted;
      more.replaceChildren(...others(found));
      activity.known(found);
    },
    failed,
  );
  return {
    update(changed) {
      loaded.update(changed);
      activity.update(changed);
      if (changed.has("nodes")) nodeStrip(strip, context);
      if (changed.has("nodes") || changed.has("breakpoints")) showStopped(stopped, context);
    },
    route(to) {
      goal = goalOf(to);
      loaded.load();
    },
    unmount: () => loaded.end(),
  };
}

// An address without a goal shows the newest, also when that is another one by then.
function goalOf(rest) {
  return rest?.startsWith("goal/") ? rest.slice("goal/".length) : "";
}

// What waits for a person: a paused node, an answer at a breakpoint.
function showStopped(root, context) {
  const { nodes: rows, breakpoints: breaks, run } = context.states();
  const running = run?.kind === "running";
  const paused = running ? (rows || []).filter((row) => row.paused && row.state === "ready") : [];
  const held = running ? breaks?.held.length || 0 : 0;
  const words = [paused.length > 0 && `${paused.map((row) => row.node).join(", ")} ${paused.length === 1 ? "is" : "are"} paused`, held > 0 && `${plural(held, "answer")} at a breakpoint`];
  const key = words.filter(Boolean).join();
  if (root.dataset.key === key) return;
  root.dataset.key = key;
  fill(root, key && "Waiting for you: ", words[0] && h("a", { href: context.address("nodes") }, words[0]), words[0] && words[1] && ", ", words[1] && h("a", { href: context.address("breakpoints") }, words[1]));
}

function showHead(root, found) {
  const task = found.task;
  root.replaceChildren(
    h("p", { class: "over" }, [found.launch, found.world, found.language_model, found.seed !== null && `seed ${found.seed}`].filter(Boolean).join(" · ")),
    h("h1", null, task ? task.prompt : "No goal was given"),
    h("p", { class: "outcome" }, found.reason || found.state.text),
  );
}

function showFigures(root, found) {
  const turns = found.subtasks.reduce((sum, each) => sum + each.iterations.length, 0);
  const restarts = Object.values(found.restarts).reduce((sum, each) => sum + each, 0);
  const success = found.known_success;
  const several = found.all_goals > 1; // then some of these are of the goal, and some of the run
  const training = `${count(found.samples.training)} in training`;
  const steps = several && found.steps !== null ? `; ${count(found.steps)} steps in all` : "";
  const rows = [
    ["Success", rate(success.rate), `${success.of}; required ${rate(found.required)}`],
    ["Iterations", turns, plural(found.subtasks.length, "subtask")],
    ["Samples", count(found.samples.total), several ? `of this goal, ${training}${steps}` : training],
    ["Time", duration(found.wall_seconds), several ? "all launches and goals" : "all launches"],
    ["Questions", found.questions.count, `${found.questions.profile || "no language model"}${several ? ", all goals" : ""}`],
    ["Restarts", restarts, [found.jail && `jail ${found.jail}`, several && "all goals"].filter(Boolean).join(", ")],
  ];
  root.replaceChildren(
    ...rows.map(([name, value, note]) => h("div", null, h("dt", null, name), h("dd", null, value, h("small", null, note)))),
  );
}

function nowCard(root, context) {
  const line = h("p", { class: "doing" }, "");
  const path = h("p", { class: "path soft" }, "");
  const bar = h("div", { class: "bar" }, h("i"));
  const note = h("p", { class: "soft small" }, "");
  const world = h("p", { class: "soft small" }, "");
  root.append(h("h4", null, "Now"), line, path, bar, note, world);
  root.hidden = true;
  let way = [];
  let given = true; // a goal
  const update = (changed) => {
    const states = context.states();
    const running = states.run?.kind === "running";
    root.hidden = !running;
    if (!running) return;
    const training = way.some((each) => each.action === "learner/train");
    text(line, training ? `training a policy: ${words(way.at(-1)?.id)}` : states.working?.activity || way.at(-1)?.action || (given || !settled(states) ? "starting" : "nothing: it waits for a goal"));
    text(path, way.map((each) => each.action.replace("/", " · ")).join("  →  "));
    const progress = states.progress;
    bar.hidden = note.hidden = !(training && progress);
    if (training && progress) {
      bar.firstChild.style.width = `${Math.min((100 * progress.samples) / Math.max(progress.budget, 1), 100)}%`;
      text(note, `${count(progress.samples)} of at most ${count(progress.budget)} samples, success ${rate(progress.success_rate)}, return ${progress.mean_return.toFixed(2)}, ${count(progress.steps_per_second)} steps/s`);
    }
    const activity = states.activity;
    if (activity) text(world, `world: ${plural(activity.sessions, "session")} with ${plural(activity.environments, "environment")}, ${count(activity.steps_per_second)} steps/s, ${count(activity.steps)} steps so far`);
  };
  return {
    update,
    known(found) {
      way = found.under_way;
      given = Boolean(found.task);
      update();
    },
  };
}

// Whether all nodes that the launcher starts are up.
function settled(states) {
  return Boolean(states.nodes?.every((row) => row.state === "ready" || row.state === "released"));
}

function words(id) {
  const parts = (id || "").split("/").filter((part) => part !== "goal" && part !== "train");
  return parts.map((part) => part.replaceAll("-", " ")).join(", ");
}

function planTree(found, context) {
  if (!found.subtasks.length) return [h("h2", null, "Plan"), empty("There is no plan yet.")];
  const seen = [h("h2", null, "Plan, decompositions and verdicts")];
  for (const [place, subtask] of found.subtasks.entries()) {
    const states = { active: ["going", "being worked on"], done: ["", "over"], waiting: ["", "to come"] };
    const reached = subtask.iterations.some((turn) => turn.episodes && turn.success_rate >= subtask.required && !turn.cut);
    const [kind, words] = subtask.state === "done" && reached ? ["good", "achieved"] : states[subtask.state];
    seen.push(
      h(
        "section",
        { class: `card subtask ${subtask.state}` },
        h(
          "header",
          null,
          h("span", { class: "step" }, place + 1),
          h("h3", null, subtask.name),
          mark(kind, words),
          h("span", { class: "soft" }, subtask.success),
        ),
        subtask.why && h("p", { class: "soft" }, subtask.why),
        subtask.iterations.map((turn) => iteration(turn, subtask, found, context)),
        subtask.current && current(subtask.current),
        subtask.stopped && h("p", { class: "soft small" }, `The outer loop stopped: ${subtask.stopped}`),
      ),
    );
  }
  return seen;
}

function iteration(turn, subtask, found, context) {
  const failed = turn.lines.find((line) => !line.verdict.success);
  const enough = turn.episodes > 0 && turn.success_rate >= subtask.required && !turn.cut;
  const summary = h(
    "span",
    { class: "turn" },
    h("b", { class: "nr" }, `iteration ${turn.number}`),
    h("span", { class: "flow" }, turn.lines.map((line) => h("span", { class: "step" }, line.name, method(line))), turn.guards.map((g) => h("span", { class: "step" }, `guard ${g.name}`, h("span", { class: `method ${g.method}` }, g.method)))),
    h("span", { class: "telling" }, outcome(turn, failed, enough)),
    h("span", { class: `rate ${enough ? "good" : ""}` }, turn.episodes ? rate(turn.success_rate) : "-", h("span", { class: "meter" }, meter(turn.success_rate))),
    h("span", { class: "soft number" }, `${count(turn.samples.total)}, ${duration(turn.seconds)}`),
    turn.further && mark("", "trained further"),
    turn.number === subtask.chosen && mark("good", "stands"),
  );
  return fold(`${context.run}/${subtask.goal}/${subtask.name}/${turn.number}`, summary, () => details(turn, subtask, found, context));
}

// Why it ended so: the first sub-action that failed, else what its evaluation lost.
function outcome(turn, failed, enough) {
  if (!turn.lines.length) return "nothing was implemented";
  if (failed) return `${failed.name}: ${failed.verdict.reason}`;
  if (!enough && turn.episodes) {
    const lost = turn.endings.length ? `; of the others ${turn.endings.slice(0, 3).join(", ")}` : "";
    return `On unseen seeds ${turn.successes} of ${turn.episodes} episodes succeeded, which is not enough${lost}.`;
  }
  return turn.lines.at(-1).verdict.reason;
}

function meter(value) {
  const made = h("i");
  made.style.width = `${Math.round(100 * Math.min(Math.max(value || 0, 0), 1))}%`;
  return made;
}

function method(line) {
  return h("span", { class: `method ${line.method}` }, [line.method, ...(line.macros || [])].join(" + "));
}

function details(turn, subtask, found, context) {
  const shown = h("div", { class: "details" });
  const evaluated = turn.episodes
    ? `Evaluation on unseen seeds: ${turn.successes} of ${turn.episodes} episodes succeeded${turn.cut ? ", cut: the samples were not enough for more" : ""}, required ${rate(subtask.required)}.`
    : "It was not evaluated.";
  shown.append(h("p", null, h("b", null, evaluated)));
  if (turn.endings.length) shown.append(h("p", null, "Those that failed: ", turn.endings.slice(0, 6).join("; "), "."));
  if (turn.weakest !== null && turn.lines[turn.weakest]) {
    shown.append(h("p", null, "Most of them were lost in ", h("b", null, turn.lines[turn.weakest].name), `: its aim held in ${turn.held[turn.weakest]} of ${turn.episodes}.`));
  }
  for (const line of turn.lines) shown.append(verdictLine(line, turn, subtask, context));
  for (const guard of turn.guards) shown.append(h("p", null, h("b", null, `Guard ${guard.name}: `), guard.text));
  const samples = turn.samples;
  shown.append(h("p", { class: "soft small" }, `samples: ${count(samples.training)} training, ${count(samples.trial)} tryouts, ${count(samples.evaluation)} evaluation`));
  const links = h("p", { class: "links" });
  if (turn.video) links.append(h("a", { href: context.address("episodes", `film/${encodeURIComponent(turn.video.split("/").pop())}`) }, "film of one evaluation episode"));
  links.append(h("a", { href: context.address("episodes", `of/${encodeURIComponent(turn.goal)}`) }, "its episodes"));
  shown.append(links);
  return shown;
}

function verdictLine(line, turn, subtask, context) {
  const verdict = line.verdict;
  return h(
    "div",
    { class: "line" },
    h("header", null, mark(verdict.success ? "good" : "bad", verdict.success ? "worked" : "did not work"), h("b", null, line.name), method(line), h("span", { class: "soft" }, line.aim), verdict.episodes > 0 && h("span", { class: "soft number" }, `${Math.round(verdict.success_rate * verdict.episodes)} of ${verdict.episodes} in its tryout`)),
    line.description && h("p", { class: "soft" }, line.description),
    h("p", null, verdict.reason),
    verdict.suggestion && h("p", null, h("b", null, "To try: "), verdict.suggestion),
    line.learning && h("p", { class: "soft small" }, `trained for ${count(line.learning.samples)} samples, ${line.learning.stopped}`),
    line.learning?.choices.length > 0 && h("p", { class: "soft small" }, "in its tryout the policy chose: ", line.learning.choices.slice(0, 10).map((each) => `${each.name} ${each.times}×`).join(", ")),
    line.spec && fold(`spec/${subtask.goal}/${turn.number}/${line.name}`, "training spec", () => spec(line.spec, context)),
    h(
      "p",
      { class: "links" },
      line.program && h("a", { href: context.address("programs", line.program) }, "the program"),
      line.policy && h("a", { href: context.address("learning", encodeURIComponent(line.policy)) }, "its learning curve"),
      h("span", { class: "soft small" }, plural(line.attempts, "attempt")),
      line.skill && h("span", { class: "soft small" }, `skill ${line.skill}`),
    ),
  );
}

function spec(found, context) {
  return h(
    "dl",
    { class: "facts" },
    h("dt", null, "sees"), h("dd", null, chips(found.observations)),
    h("dt", null, "may do"), h("dd", null, chips(found.actions)),
    h("dt", null, "coded actions"), h("dd", null, found.macros.length ? found.macros.map((m) => h("a", { href: context.address("programs", m.program) }, m.name, " ")) : "none"),
    h("dt", null, "is paid"), h("dd", null, found.rewards.map(([weight, what]) => h("div", null, h("code", null, weight), " ", what))),
    h("dt", null, "horizon"), h("dd", null, `${found.horizon} primitive steps`),
    h("dt", null, "budget"), h("dd", null, `${count(found.budget)} samples`),
  );
}

function current(turn) {
  return h(
    "div",
    { class: "current" },
    h("p", null, h("b", { class: "nr" }, `iteration ${turn.number}`), mark("going", "under way")),
    turn.lines.map((line) => h("p", null, line.name, method(line), " ", line.verdict ? mark(line.verdict.success ? "good" : "bad", line.verdict.success ? "worked" : "did not work") : mark("going", "being implemented"), " ", h("span", { class: "soft" }, line.verdict ? line.verdict.reason : line.aim))),
  );
}

function others(found) {
  const seen = [];
  const whole = found.performance;
  if (whole) {
    const won = whole.episodes.filter((each) => each.success).length;
    seen.push(
      h("h2", null, "The whole goal, performed"),
      h(
        "section",
        { class: "card" },
        h("p", null, `${won} of ${whole.episodes.length} episodes reached the goal from the task's own start.`),
        table(["milestone", "#episodes that had it"], Object.entries(whole.milestones).map(([item, n]) => h("tr", null, td(item), td(n, "number")))),
      ),
    );
  }
  if (found.troubles.length) {
    seen.push(
      h("h2", null, found.all_goals > 1 ? "Warnings and errors, of all goals" : "Warnings and errors"),
      h("section", { class: "card" }, found.troubles.map((each) => h("div", { class: "trouble" }, h("b", null, each.node), ` ${plural(each.warnings, "warning")}, ${plural(each.errors, "error")}`, h("ul", null, each.messages.map(([n, message]) => h("li", null, `${n}× ${message}`)))))),
    );
  }
  return seen;
}

