// The world as it is played now: what the player sees, and the ground from above.

import { ofRun } from "../api.js";
import { chips, h, text } from "../dom.js";
import { plural } from "../format.js";
import { answers, pauseButtons, pauseWords } from "./pausing.js";

const SCALE = 10; // pixels of the map's canvas for each block

export function world(root, context) {
  const said = h("p", { class: "said" }, "");
  const seen = h("canvas", { width: 256, height: 160, "aria-label": "what the player sees" });
  const map = h("canvas", { width: 410, height: 410, "aria-label": "the ground from above, north at the top" });
  const facts = h("p", { class: "lead" }, "");
  const more = h("p", { class: "soft" }, "");
  const held = h("div");
  const sight = h("div", { class: "sight" }, h("section", { class: "card" }, seen, facts, more, held), h("section", { class: "card" }, map, h("p", { class: "soft small" }, "From above, north at the top; the arrow is the player.")));
  sight.hidden = true;
  const count = h("input", { type: "number", min: 1, max: 100000, value: 1, class: "count", "aria-label": "steps" });
  const done = h("span", { class: "soft" }, "");
  const paused = h("span", { class: "soft" }, "");
  const pausing = pauseButtons(context, "env_server", done, () => count.value);
  const [toggle, step] = pausing.elements;
  const controls = h("p", { class: "links controls" }, toggle, step, count, paused, done);
  root.append(h("h2", null, "The world, live"), controls, said, sight);
  let socket = null;
  let timer = null;
  let ended = false;
  let pause = 500;

  function connect() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    socket = new WebSocket(`${scheme}://${location.host}${ofRun(context.run, "sight")}`);
    socket.binaryType = "arraybuffer";
    socket.onmessage = (event) => {
      pause = 500;
      show(event.data);
    };
    socket.onclose = () => {
      if (!ended) timer = setTimeout(connect, (pause = Math.min(pause * 1.6, 5000)));
    };
  }

  function show(data) {
    const length = new DataView(data).getUint32(0, true);
    const head = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 4, length)));
    const [height, width] = head.picture;
    const at = 4 + length;
    seen.width = width;
    seen.height = height;
    seen.getContext("2d").putImageData(image(data, at, width, height), 0, 0);
    drawMap(map, data, at + 3 * width * height, head);
    sight.hidden = false;
    text(said, "");
    text(facts, `${head.task}: ${plural(head.steps, "step")} of its episode, life ${head.life.toFixed(0)}, food ${head.food.toFixed(0)}`);
    text(more, `at ${head.position.map((v) => v.toFixed(1)).join(", ")}${head.biome ? `, ${head.biome}` : ""}${head.facing ? `, facing ${head.facing}` : ""} · ${head.session}`);
    const items = Object.entries(head.inventory).map(([item, n]) => `${n} ${item}`);
    if (held.dataset.items !== items.join()) {
      held.dataset.items = items.join();
      held.replaceChildren(chips(items));
    }
  }

  connect();
  return {
    update() {
      const row = context.states().nodes?.find((each) => each.node === "env_server");
      controls.hidden = !row;
      pausing.update(row?.paused, answers(row));
      text(paused, row?.paused ? pauseWords(context.states().pauses?.env_server) : "");
      if (!sight.hidden) return;
      const running = context.states().run?.kind === "running";
      const playing = context.states().activity?.sessions > 0;
      text(said, !running ? "No node is running; films of past episodes are under Episodes." : playing ? "A picture comes with the next step." : "No session is being played at the moment.");
    },
    unmount() {
      ended = true;
      clearTimeout(timer);
      socket.close();
    },
  };
}

function image(data, at, width, height) {
  const made = new ImageData(width, height);
  const pixels = new Uint8Array(data, at, 3 * width * height);
  for (let i = 0, o = 0; i < pixels.length; i += 3, o += 4) {
    made.data[o] = pixels[i];
    made.data[o + 1] = pixels[i + 1];
    made.data[o + 2] = pixels[i + 2];
    made.data[o + 3] = 255;
  }
  return made;
}

function drawMap(map, data, at, head) {
  const [height, width] = head.above;
  map.parentElement.hidden = !width;
  if (!width) return;
  map.width = width * SCALE;
  map.height = height * SCALE;
  const small = new OffscreenCanvas(width, height);
  small.getContext("2d").putImageData(image(data, at, width, height), 0, 0);
  const drawn = map.getContext("2d");
  drawn.imageSmoothingEnabled = false;
  drawn.drawImage(small, 0, 0, map.width, map.height);
  // Yaw 0 looks south, 90 west.
  drawn.translate(map.width / 2, map.height / 2);
  drawn.rotate(((head.yaw + 180) * Math.PI) / 180);
  drawn.beginPath();
  drawn.moveTo(0, -12);
  drawn.lineTo(8, 9);
  drawn.lineTo(0, 4);
  drawn.lineTo(-8, 9);
  drawn.closePath();
  drawn.fillStyle = "#fff";
  drawn.strokeStyle = "#b3261e";
  drawn.lineWidth = 2.5;
  drawn.fill();
  drawn.stroke();
}
