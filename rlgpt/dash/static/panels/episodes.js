// Every episode: what it was for, how it ended, what was done in it, and its film, played again.

import { get, ofRun, post } from "../api.js";
import { chips, empty, h, mark, refill, table, td } from "../dom.js";
import { bytes, count, moment, plural, signed } from "../format.js";
import { Loaded } from "./loading.js";

const WORDS = { success: "success", death: "died", horizon: "horizon", stopped: "stopped", cut_off: "cut off" };
const KINDS = { success: "good", death: "bad", horizon: "warn", stopped: "", cut_off: "" };
const MOST = 50;

export function episodes(root, context, rest) {
  const asked = { seed: "", ended: "", of: "", first: 0 };
  const seed = h("input", { type: "search", inputMode: "numeric", placeholder: "seed, or its last digits", size: 20, "aria-label": "seed", oninput: () => ask({ seed: seed.value.trim() }) });
  const ended = h("select", { "aria-label": "how it ended", onchange: () => ask({ ended: ended.value }) }, h("option", { value: "" }, "any ending"), Object.entries(WORDS).map(([value, words]) => h("option", { value }, words)));
  const of = h("input", { type: "search", placeholder: "goal or play, by its id", class: "of", "aria-label": "goal or play", oninput: () => ask({ of: of.value.trim() }) });
  const list = h("section", { class: "card" });
  const shown = h("div", { class: "shown" }, nothing());
  const films = h("section");
  root.append(h("h2", null, "Episodes"), h("form", { class: "filter", onsubmit: (event) => event.preventDefault() }, seed, ended, of), h("div", { class: "split wide" }, list, shown), films);
  const loaded = new Loaded(context, "episodes", () => get(ofRun(context.run, "episodes", { ...asked, most: MOST })), draw, list);
  const filmed = new Loaded(context, "films", () => get(ofRun(context.run, "films", { of: asked.of })), drawFilms, films);
  let chosen = null;
  let replay = null;

  function ask(change) {
    Object.assign(asked, { first: 0 }, change);
    loaded.load();
    if ("of" in change) filmed.load();
  }

  function draw(found) {
    const all = found.trained;
    const sums = all.trainings && !found.trainings.length ? [h("li", null, `${all.trainings} trainings: ${plural(all.episodes, "episode")}, ${all.successes} succeeded, ${all.deaths} died, ${count(all.steps)} steps; write the id of a goal above to see its own`)] : found.trainings.map((each) => h("li", null, `${each.words}: ${plural(each.episodes, "episode")}, ${each.successes} succeeded, ${each.deaths} died, ${count(each.steps)} steps`));
    const pages = h("p", { class: "pages" });
    if (asked.first > 0) pages.append(h("button", { onclick: () => ask({ first: Math.max(asked.first - MOST, 0) }) }, "newer"));
    if (asked.first + MOST < found.found) pages.append(h("button", { onclick: () => ask({ first: asked.first + MOST }) }, "older"));
    refill(
      list,
      h("p", { class: "soft small" }, found.found === found.all ? plural(found.all, "episode") : `${found.found} of ${plural(found.all, "episode")}`),
      found.rows.length ? table(["#seed", "for", "ended", "#steps", "changed"], found.rows.map(row), "pick") : empty(found.all ? "No episode is like that." : "No episode has been kept yet."),
      pages,
      sums.length ? h("ul", { class: "soft small" }, sums) : "",
    );
  }

  function row(each) {
    const key = `${each.play}#${each.environment}`;
    const made = h(
      "tr",
      { tabIndex: 0, class: key === chosen ? "active" : "", onclick: () => open(each), onkeydown: (event) => event.key === "Enter" && open(each) },
      td(each.seed, "number"),
      td(each.words),
      td([mark(KINDS[each.ended], WORDS[each.ended]), each.why && h("span", { class: "soft small" }, ` ${each.why}`)]),
      td(each.steps, "number"),
      td(changes(each.changed), "soft"),
    );
    made.dataset.key = key;
    return made;
  }

  async function open(each) {
    const key = (chosen = `${each.play}#${each.environment}`);
    for (const made of list.querySelectorAll("tr")) made.classList.toggle("active", made.dataset.key === chosen);
    const found = await get(ofRun(context.run, "episode", { play: each.play, environment: each.environment })).catch((error) => ({ error }));
    if (chosen !== key) return; // another one was chosen meanwhile
    replay = null;
    if (found.error) {
      shown.replaceChildren(empty(`It cannot be shown: ${found.error.message}`));
      return;
    }
    shown.replaceChildren(...one(found, context, () => again(found)));
    shown.scrollIntoView({ block: "nearest" });
  }

  async function again(found) {
    const place = shown.querySelector(".replay");
    const say = (words) => place.replaceChildren(h("p", { class: "said" }, words));
    try {
      let state = (replay = await post(ofRun(context.run, "episode/again", { play: found.play, seed: found.seed })));
      while (replay?.number === state.number && (state.state === "waiting" || state.state === "playing")) {
        say(state.state === "waiting" ? "waits for another episode that is being played …" : "is being played again: a world starts for it …");
        await new Promise((done) => setTimeout(done, 500));
        state = await get(`/api/replays/${state.number}`);
      }
      if (replay?.number !== state.number) return;
      if (state.state === "failed") say(state.text || "it cannot be played again");
      else place.replaceChildren(film(context, "again", state.film), h("p", { class: "soft small" }, state.text.split("\n").at(-1)));
    } catch (error) {
      say(error.message);
    }
  }

  function drawFilms(found) {
    films.replaceChildren();
    if (!found.all) return;
    films.append(
      h("h2", null, "Films"),
      h("section", { class: "card" }, found.all > found.rows.length && h("p", { class: "soft small" }, `Of ${found.all} films the newest ${found.rows.length}; write the id of a goal above to see its own.`), table(["film", "written", "#size"], found.rows.map((each) => h("tr", null, td(h("a", { href: context.address("episodes", `${each.kind === "again" ? "again" : "film"}/${encodeURIComponent(each.name)}`) }, each.name.replaceAll("+", " / "))), td(moment(each.written)), td(bytes(each.bytes), "number"))))),
    );
  }

  function route(to) {
    const [what, ...name] = (to || "").split("/");
    const value = name.join("/"); // decoded before: a name may have a % of its own
    if (what === "of" || what === "seed" || (!to && (asked.of || asked.seed))) {
      asked.of = what === "of" ? value : "";
      asked.seed = what === "seed" ? value : "";
      of.value = asked.of;
      seed.value = asked.seed;
      asked.first = 0;
      loaded.load();
      filmed.load();
    } else if (!to) {
      shown.replaceChildren(nothing());
    } else if (value) {
      shown.replaceChildren(h("section", { class: "card" }, h("h3", null, value.replaceAll("+", " / ")), film(context, what === "again" ? "again" : "evaluation", value)));
    }
  }
  route(rest);
  return {
    update(changed) {
      loaded.update(changed);
      filmed.update(changed);
    },
    route,
    unmount() {
      loaded.end();
      filmed.end();
      replay = null;
    },
  };
}

function nothing() {
  return h("section", { class: "card" }, empty("Choose an episode to see what was done in it, and to play it again."));
}

function film(context, kind, name) {
  return h("video", { controls: true, autoplay: true, loop: true, muted: true, playsInline: true, src: ofRun(context.run, `films/${kind}/${encodeURIComponent(name)}`) });
}

function changes(changed) {
  return Object.entries(changed).map(([item, n]) => `${signed(n)} ${item}`).join(", ");
}

function one(found, context, again) {
  const after = found.after;
  const facts = [
    ["play", found.play],
    ["ended", `${WORDS[found.ended]}${found.why ? `: ${found.why}` : ""}, after ${found.steps} steps`],
    ["spent", found.spent],
    ["changed", changes(found.changed) || "nothing in the inventory"],
    ["stood", `at ${after.position.map((v) => v.toFixed(1)).join(", ")}${after.biome ? ` in ${after.biome}` : ""}, facing ${after.facing || "nothing"}`],
    ["life", `${after.life.toFixed(1)} of 20, food ${after.food.toFixed(1)}`],
    ["killed", Object.entries(after.killed).map(([mob, n]) => `${n} ${mob}`).join(", ")],
  ];
  return [
    h(
      "section",
      { class: "card" },
      h("header", null, h("h3", null, `Seed ${found.seed}`), mark(KINDS[found.ended], WORDS[found.ended]), h("span", { class: "soft" }, found.words)),
      h("div", { class: "replay" }, h("button", { class: "again", onclick: again }, "play it again"), h("span", { class: "soft small" }, " alone, with the same programs and the same choices, and film it")),
      h("dl", { class: "facts" }, facts.filter(([, value]) => value).map(([name, value]) => [h("dt", null, name), h("dd", null, value)])),
      h("h4", null, "What was done in it, in order"),
      h("ol", { class: "parts" }, found.parts.map((part) => h("li", null, partOf(part, context)))),
      found.parts.length ? "" : empty("Nothing was kept of it."),
      Object.keys(after.inventory).length ? [h("h4", null, "Inventory at its end"), chips(Object.entries(after.inventory).map(([item, n]) => `${n} ${item}`))] : "",
    ),
  ];
}

function partOf(part, context) {
  const guards = part.guards?.length ? h("span", { class: "soft" }, ` (guards: ${part.guards.join(", ")})`) : "";
  if (part.what === "program") return [h("a", { href: context.address("programs", part.program) }, part.name), part.before ? h("span", { class: "soft" }, " before the episode") : "", guards];
  if (part.what === "policy") {
    return [
      `a policy made ${plural(part.decisions, "decision")}: `,
      Object.entries(part.choices).slice(0, 12).map(([name, n], place) => [place ? ", " : "", part.macros[name] ? h("a", { href: context.address("programs", part.macros[name]) }, name) : name, ` ${n}×`]),
      guards,
    ];
  }
  return part.name || "nothing";
}
