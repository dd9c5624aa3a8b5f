// What a panel fetches: again whenever its files have changed, at most once at a time.

import { empty } from "../dom.js";

const RESTS = 4; // times as long as a request took

export class Loaded {
  // ``version`` names the number of the state `versions` that counts the changes of its files; null:
  // all of them. ``root`` is what ``shown`` fills: until then, and after a failure, it says so.
  // ``least``: ms from one request for changed files to the next.
  constructor(context, version, fetching, shown, root, least = 700) {
    this._context = context;
    this._version = version;
    this._fetching = fetching;
    this._shown = shown;
    this._root = root;
    this._least = least;
    this._known = null;
    this._busy = false;
    this._again = false; // a person asked meanwhile
    this._stale = false; // files have changed meanwhile
    this._rested = 0;
    root?.replaceChildren(empty("It is being fetched …"));
  }

  update(changed) {
    if (!changed.has("versions")) return;
    const { versions } = this._context.states();
    const version = this._version === null ? JSON.stringify(versions) : versions?.[this._version];
    if (version === undefined || version === this._known) return;
    this._known = version;
    this._stale = true;
    if (!this._busy) this._wait();
  }

  _wait() {
    clearTimeout(this._timer);
    this._timer = setTimeout(() => this.load(), Math.max(this._rested - performance.now(), 0));
  }

  // At once: a person asked for something else.
  async load() {
    if (this._busy) {
      this._again = true;
      return;
    }
    clearTimeout(this._timer);
    this._busy = true;
    this._again = this._stale = false;
    const began = performance.now();
    try {
      const found = await this._fetching();
      if (this._context.current() && !this.ended) await this._shown(found);
    } catch (error) {
      if (this._root && !this.ended) this._root.replaceChildren(empty(`This cannot be shown: ${error.message}`));
    }
    this._busy = false;
    // Files of a run that goes on change all the time, and its server shares the run's cores.
    const now = performance.now();
    this._rested = Math.max(began + this._least, now + RESTS * (now - began));
    if (this.ended) return;
    if (this._again) this.load();
    else if (this._stale) this._wait();
  }

  end() {
    this.ended = true;
    clearTimeout(this._timer);
  }
}
