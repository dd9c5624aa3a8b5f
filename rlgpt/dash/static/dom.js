// Elements made by hand. Text from a run only ever becomes a text node: nothing here reads markup.

export function h(tag, properties, ...children) {
  const made = document.createElement(tag);
  set(made, properties);
  append(made, children);
  return made;
}

// In place of what an element holds.
export function fill(element, ...children) {
  element.replaceChildren();
  append(element, children);
}

// The same; what has the focus keeps it, if there is an element of its key (data-key) again.
export function refill(element, ...children) {
  const focused = element.contains(document.activeElement) ? document.activeElement.dataset.key : null;
  fill(element, ...children);
  if (focused) [...element.querySelectorAll("[data-key]")].find((each) => each.dataset.key === focused)?.focus({ preventScroll: true });
}

const SVG = "http://www.w3.org/2000/svg";

export function svg(tag, attributes, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value);
  }
  append(made, children);
  return made;
}

function set(made, properties) {
  for (const [name, value] of Object.entries(properties || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name === "class") made.className = value;
    else if (name === "style") Object.assign(made.style, value);
    else if (name in made && name !== "list" && name !== "role") made[name] = value;
    else made.setAttribute(name, value);
  }
}

function append(made, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false || child === "") continue;
    made.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

// Sets text only where it is another one, so that a selection in it survives.
export function text(element, value) {
  const shown = value === null || value === undefined ? "" : String(value);
  if (element.textContent !== shown) element.textContent = shown;
}

// Keeps one element for each item, in order: buttons keep their focus, and nothing flickers.
export function keyed(container, items, key, make, update) {
  const known = container.keyed || (container.keyed = new Map());
  const wanted = new Set();
  let before = null;
  for (const item of items) {
    const id = key(item);
    wanted.add(id);
    let element = known.get(id);
    if (!element) known.set(id, (element = make(item)));
    update(element, item);
    const place = before ? before.nextSibling : container.firstChild;
    if (place !== element) container.insertBefore(element, place);
    before = element;
  }
  for (const [id, element] of known) {
    if (!wanted.has(id)) {
      element.remove();
      known.delete(id);
    }
  }
}

// A fold that stays as the user left it, also when what is around it is made again.
const opened = new Map();

export function fold(key, summary, body, open = false) {
  const made = h("details", { class: "fold" }, h("summary", { "data-key": key }, summary));
  made.open = opened.has(key) ? opened.get(key) : open;
  let filled = false;
  const fill = () => {
    if (made.open && !filled) {
      filled = true;
      append(made, [body()]);
    }
  };
  fill();
  made.addEventListener("toggle", () => {
    opened.set(key, made.open);
    fill();
  });
  return made;
}

export function mark(kind, words) {
  return h("span", { class: `mark ${kind}` }, words);
}

export function empty(words) {
  return h("p", { class: "empty" }, words);
}

export function chips(items) {
  return h("ul", { class: "chips" }, items.map((item) => h("li", null, item)));
}

export function table(heads, rows, className = "") {
  return h(
    "div",
    { class: "scroll" },
    h(
      "table",
      { class: className },
      h("thead", null, h("tr", null, heads.map((head) => cell("th", head)))),
      h("tbody", null, rows),
    ),
  );
}

function cell(tag, head) {
  return head.startsWith("#") ? h(tag, { class: "number" }, head.slice(1)) : h(tag, null, head);
}

export function td(value, className = "") {
  return h("td", { class: className }, value);
}
