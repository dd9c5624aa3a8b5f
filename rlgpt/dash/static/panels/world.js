// The world as it is played now.

import { empty, h } from "../dom.js";

export function world(root) {
  root.append(h("h2", null, "The world, live"), h("section", { class: "card" }, empty("No world is shown yet.")));
  return {};
}
