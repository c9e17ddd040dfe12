// A stream of events through fetch(), which can send a token: closed while the page is hidden, resumed at its position, reconnected when it breaks.

const silence = 30_000;

export const session = { token: "" };  // only in memory: it is lost with the tab

export function ask(path, options = {}) {
  const headers = { ...options.headers };
  if (session.token) headers.Authorization = `Bearer ${session.token}`;
  return fetch(path, { ...options, headers, credentials: "same-origin", cache: "no-store" });
}

/// Text of text/event-stream, in pieces of any size: calls `take({type, data, id})` for each event, `retry(ms)` for its pause.
export class EventReader {
  constructor(take, retry) {
    this.take = take;
    this.retry = retry;
    this.rest = "";
    this.id = "";
    this.clear();
  }
  clear() {
    this.type = "message";
    this.data = [];
  }
  feed(text) {
    const lines = (this.rest + text).split("\n");
    this.rest = lines.pop();
    for (const line of lines) this.line(line.endsWith("\r") ? line.slice(0, -1) : line);
  }
  line(line) {
    if (line === "") {
      if (this.data.length) this.take({ type: this.type, data: this.data.join("\n"), id: this.id });
      this.clear();
      return;
    }
    const colon = line.indexOf(":");
    if (colon === 0) return;
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "event") this.type = value;
    else if (name === "data") this.data.push(value);
    else if (name === "id") this.id = value;
    else if (name === "retry" && /^\d+$/.test(value)) this.retry(Number(value));
  }
}

/// Follows an address until close(). Handlers:
///   event(type, data, id)   one event, its data parsed
///   state(word, detail)     `open`, `lost` (tries again by itself), `refused` (401, 403: with the answer), `gone` (other refusals), `paused`
export class Stream {
  constructor(path, handlers) {
    this.path = path;
    this.handlers = handlers;
    this.position = "";
    this.pause = 1000;
    this.failures = 0;
    this.onVisible = () => this.look();
    document.addEventListener("visibilitychange", this.onVisible);
    addEventListener("online", this.onVisible);
    this.look();
  }
  close() {
    this.closed = true;
    document.removeEventListener("visibilitychange", this.onVisible);
    removeEventListener("online", this.onVisible);
    this.stop();
  }
  stop() {
    clearTimeout(this.timer);
    clearTimeout(this.watch);
    this.timer = this.watch = undefined;
    this.controller?.abort();
    this.controller = undefined;
    this.opened = false;
  }
  /// Starts again without a position, so that everything is sent.
  restart() {
    this.stop();
    this.position = "";
    this.look();
  }
  look() {
    if (this.closed) return;
    if (document.hidden) {
      this.stop();
      this.handlers.state("paused");
    } else if (!this.controller) {
      clearTimeout(this.timer);
      this.run();
    }
  }
  alive(controller) {
    clearTimeout(this.watch);
    this.watch = setTimeout(() => controller.abort(new Error("nothing was received for half a minute")), silence);
  }
  async run() {
    const controller = this.controller = new AbortController();
    let ended = "the service has ended the stream";
    try {
      this.alive(controller);
      const headers = { Accept: "text/event-stream" };
      if (this.position) headers["Last-Event-ID"] = this.position;
      const answer = await ask(this.path, { headers, signal: controller.signal });
      if (!answer.ok) {
        const failure = await answer.json().catch(() => ({ message: `HTTP ${answer.status}` }));
        if (controller !== this.controller) return;
        if (answer.status < 500 && answer.status !== 429) {
          this.stop();
          this.finished = true;
          this.handlers.state(answer.status === 401 || answer.status === 403 ? "refused" : "gone", failure);
          return;
        }
        throw new Error(failure.message || `HTTP ${answer.status}`);
      }
      const bytes = answer.body.getReader();
      const text = new TextDecoder();
      const reader = new EventReader((event) => this.take(event), (ms) => { this.pause = Math.min(ms, 60_000); });
      for (;;) {
        const { done, value } = await bytes.read();
        if (controller !== this.controller) return;
        if (done) break;
        this.alive(controller);
        reader.feed(text.decode(value, { stream: true }));
        if (!this.opened) {
          this.failures = 0;
          this.opened = true;
          this.handlers.state("open");
        }
      }
    } catch (error) {
      if (controller !== this.controller) return;
      ended = controller.signal.reason?.message || error.message;
    }
    this.stop();
    if (this.closed || this.finished) return;
    ++this.failures;
    this.handlers.state("lost", { message: ended });
    // A random part of the service's pause, which grows while it is away.
    const max = Math.max(this.pause, Math.min(1000 * 2 ** Math.min(this.failures - 1, 4), 10_000));
    this.timer = setTimeout(() => this.look(), 200 + Math.random() * max);
  }
  take(event) {
    if (event.id) this.position = event.id;
    let data;
    try {
      data = JSON.parse(event.data);
    } catch {
      return;
    }
    if (event.type === "final") this.finished = true;
    this.handlers.event(event.type, data, event.id);
  }
}
