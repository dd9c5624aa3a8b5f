// What a panel fetches: again whenever its files have changed, at most once at a time.

import { empty } from "../dom.js";

export class Loaded {
  // ``version`` names the number of the state `versions` that counts the changes of its files.
  constructor(context, version, fetching, shown, root) {
    this._context = context;
    this._version = version;
    this._fetching = fetching;
    this._shown = shown;
    this._root = root;
    this._known = null;
    this._busy = false;
    this._again = false;
    this._least = 700; // ms between two requests
    this._at = 0;
  }

  update(changed) {
    if (!changed.has("versions")) return;
    const version = this._context.states().versions?.[this._version];
    if (version === undefined || version === this._known) return;
    this._known = version;
    this.load();
  }

  async load() {
    if (this._busy) {
      this._again = true;
      return;
    }
    this._busy = true;
    const wait = this._at + this._least - performance.now();
    if (wait > 0) await new Promise((done) => setTimeout(done, wait));
    this._at = performance.now();
    try {
      const found = await this._fetching();
      if (this._context.current() && !this.ended) this._shown(found);
    } catch (error) {
      if (this._root && !this.ended) this._root.replaceChildren(empty(`This cannot be shown: ${error.message}`));
    }
    this._busy = false;
    if (this._again && !this.ended) {
      this._again = false;
      this.load();
    }
  }

  end() {
    this.ended = true;
  }
}
