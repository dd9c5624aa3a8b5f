// The states of a run, kept by a websocket that connects again by itself.

const FIRST = 300; // ms until the first new attempt
const LONGEST = 4000;

export class Connection {
  constructor(run, changed, connected) {
    this.run = run;
    this.states = {};
    this.open = false;
    this.messages = 0;
    this._changed = changed;
    this._connected = connected;
    this._pause = FIRST;
    this._pending = new Set();
    this._closed = false;
    this._connect();
  }

  close() {
    this._closed = true;
    clearTimeout(this._timer);
    this._socket?.close();
  }

  _connect() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}/api/runs/${encodeURIComponent(this.run)}/live`);
    this._socket = socket;
    socket.onopen = () => {
      this._pause = FIRST;
      this._say(true);
    };
    socket.onmessage = (event) => this._take(JSON.parse(event.data));
    socket.onclose = () => {
      if (this._closed) return;
      this._say(false);
      this._timer = setTimeout(() => this._connect(), this._pause);
      this._pause = Math.min(this._pause * 1.6, LONGEST);
    };
  }

  _say(open) {
    this.open = open;
    this._connected(open);
  }

  // What comes between two frames is shown at once, in the next one.
  _take(states) {
    this.messages += 1;
    Object.assign(this.states, states);
    for (const channel of Object.keys(states)) this._pending.add(channel);
    if (this._frame) return;
    this._frame = true;
    const show = () => {
      this._frame = false;
      const changed = this._pending;
      this._pending = new Set();
      if (!this._closed) this._changed(changed);
    };
    if (document.hidden) setTimeout(show, 200);
    else requestAnimationFrame(show);
  }
}
