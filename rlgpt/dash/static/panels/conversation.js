// The language model's conversation: what is being written now, and every question with its answer.

import { get, ofRun } from "../api.js";
import { empty, fold, h, keyed, mark, table, td, text } from "../dom.js";
import { clock, count, duration, plural } from "../format.js";
import { Loaded } from "./loading.js";

const SHOWN = 200; // questions that are listed, the newest

export function conversation(root, context, rest) {
  const now = h("section", { class: "speaking" });
  const agents = h("section");
  const part = h("input", { type: "search", placeholder: "goal, agent or kind", class: "of", "aria-label": "goal, agent or kind", oninput: () => ask(part.value.trim()) });
  const counted = h("span", { class: "soft small" }, "");
  const list = h("div", { class: "list" });
  const shown = h("div", { class: "shown" });
  root.append(h("h2", null, "Language model"), now, agents, h("form", { class: "filter", onsubmit: (event) => event.preventDefault() }, part, counted), h("div", { class: "split" }, list, shown));
  const known = new Map();
  let newest = 0;
  let wanted = null;
  let opened = null;
  let of = "";
  const loaded = new Loaded(context, "conversation", () => fetched(of), (found) => {
    if (found.of !== of) return; // other words were written meanwhile
    for (const each of found.questions) known.set(each.number, each);
    newest = found.newest;
    text(counted, found.found > SHOWN ? `of ${found.found} questions the newest ${SHOWN}; write the id of a goal to see its own` : plural(found.found, "question"));
    drawAgents(found.agents);
    draw();
  }, list);

  async function fetched(words) {
    return { ...(await get(ofRun(context.run, "questions", { after: newest, of: words }))), of: words };
  }

  function ask(words) {
    of = words;
    newest = 0;
    known.clear();
    loaded.load();
  }

  function take(to) {
    wanted = null;
    if (to?.startsWith("of/")) {
      part.value = `${to.slice("of/".length)}/`; // with it goal 1 does not find goal 17
      ask(part.value);
    } else {
      wanted = Number(to) || null;
      if (!to && of) ask((part.value = "")); // the panel's own address: all
    }
  }

  function drawAgents(found) {
    const rows = Object.entries(found).map(([name, sum]) => h("tr", null, td(name), td(sum.count, "number"), td(count(sum.prompt), "number"), td(count(sum.completion), "number"), td(duration(sum.seconds), "number")));
    agents.replaceChildren(rows.length ? h("section", { class: "card" }, table(["agent", "#questions", "#tokens read", "#tokens written", "#time"], rows)) : "");
  }

  function draw() {
    if (!known.size) {
      list.keyed?.clear();
      list.replaceChildren(empty(of ? "No question is like that." : "Nothing has been asked yet."));
      return;
    }
    if (list.querySelector(".empty")) list.replaceChildren();
    keyed(
      list,
      [...known.values()].reverse().slice(0, SHOWN),
      (each) => each.number,
      (each) =>
        h(
          "a",
          { class: "entry", href: context.address("model", each.number) },
          h("b", null, each.asked.replace(/Question$/, "").toLowerCase() || "question", each.unanswered && mark("bad", "no answer"), each.repairs > 0 && mark("warn", `${each.repairs} repaired`)),
          h("span", { class: "soft small" }, `${clock(each.time)} ${each.agent} · ${duration(each.seconds)}${each.completion_tokens ? ` · ${count(each.completion_tokens)} tokens` : ""}`),
          h("span", { class: "soft small" }, each.id),
        ),
      (made, each) => made.classList.toggle("active", each.number === wanted),
    );
    const latest = Math.max(...known.keys());
    if (wanted === null && opened !== latest) open(latest);
  }

  async function open(number) {
    opened = number;
    const found = await get(ofRun(context.run, `questions/${number}`)).catch((error) => ({ error }));
    if (!context.current() || opened !== number) return;
    if (found.error) shown.replaceChildren(empty(found.error.message));
    else shown.replaceChildren(one(found));
  }

  function drawNow() {
    const speaking = context.states().speaking || [];
    keyed(
      now,
      speaking,
      (each) => each.id,
      () => h("div", { class: "card" }, h("header"), h("pre", { class: "thinking" }), h("pre", { class: "answer" })),
      (made, each) => {
        const [head, thinking, answer] = made.children;
        text(head, `${each.agent} is being answered${each.attempt ? `, attempt ${each.attempt + 1}` : ""}: ${each.id}`);
        thinking.hidden = !each.thinking;
        text(thinking, each.thinking);
        text(answer, each.text);
        thinking.scrollTop = thinking.scrollHeight;
        answer.scrollTop = answer.scrollHeight;
      },
    );
  }

  take(rest);
  if (wanted) open(wanted);
  return {
    update(changed) {
      loaded.update(changed);
      if (changed.has("speaking")) drawNow();
    },
    route(to) {
      take(to);
      if (known.size) draw();
      if (wanted) open(wanted);
    },
    unmount: () => loaded.end(),
  };
}

function one(found) {
  const question = found.question;
  return h(
    "section",
    { class: "card" },
    h("header", null, h("h3", null, question.asked), h("span", { class: "soft" }, question.agent)),
    h("p", { class: "soft small" }, question.id),
    h("p", { class: "soft small" }, `${question.model}, ${duration(question.seconds)}, ${count(question.prompt_tokens)} tokens read, ${count(question.completion_tokens)} written`),
    found.sentence && h("p", { class: "said" }, found.sentence),
    found.failures.length > 0 && h("div", null, h("h4", null, "What was wrong with earlier answers"), h("ul", null, found.failures.map((each) => h("li", null, each)))),
    found.answer && [h("h4", null, "Answer"), h("pre", { class: "plain" }, prose(found.answer))],
    found.attempts.map((each, place) => fold(`attempt/${question.number}/${place}`, `what it wrote, attempt ${place + 1}`, () => h("pre", { class: "plain" }, prose(each)))),
    found.prompt.map((message, place) => fold(`prompt/${place}`, `prompt: ${message.role}`, () => h("pre", { class: "plain" }, message.content))),
    fold("asked", "the typed question", () => h("pre", { class: "plain" }, found.asked)),
  );
}

// Line ends inside of JSON's strings, shown as such: programs are among them.
function prose(json) {
  return json.replaceAll("\\n", "\n").replaceAll('\\"', '"');
}
