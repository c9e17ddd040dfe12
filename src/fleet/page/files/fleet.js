// The fleet: a row for each cluster. The filter and the order are in the address; changes are drawn once a frame.
import { compareTexts, duration, element, filterKeys, matches, number, parseFilter, parseTarget, rank, shape, shown, standings, standingThen, time, timeline } from "./parts.js";

const shownHistory = 2 * 3600_000;
const slice = 8;  // ms of a frame for rows, so that the page stays quick with thousands of them
const best = [...standings].reverse();

const columns = [
  { key: "state", title: "State", compare: (a, b) => rank[a.summary.standing] - rank[b.summary.standing] || compareTexts(a.parts.name, b.parts.name) },
  { key: "name", title: "Cluster", compare: (a, b) => compareTexts(a.parts.name, b.parts.name) },
  { key: "ready", title: "Ready", compare: (a, b) => a.summary.ready / (a.summary.total || 1) - b.summary.ready / (b.summary.total || 1) || a.summary.total - b.summary.total },
  { key: "missing", title: "Missing", compare: (a, b) => compareTexts(a.summary.missing, b.summary.missing) },
  { key: "type", title: "Type", compare: (a, b) => compareTexts(a.summary.type, b.summary.type) },
  { key: "place", title: "Place", compare: (a, b) => compareTexts(a.summary.place, b.summary.place) },
  { key: "", title: "Last 2 hours" },
  { key: "age", title: "Seen", compare: (a, b) => (b.seen ?? 0) - (a.seen ?? 0) },
];

class Row {
  constructor(summary) {
    this.parts = parseTarget(summary.target);
    this.cells = {
      state: element("span", { role: "cell", class: "state" }),
      ready: element("span", { role: "cell", class: "ready" }),
      missing: element("span", { role: "cell", class: "missing" }),
      type: element("span", { role: "cell", class: "type" }),
      place: element("span", { role: "cell", class: "place" }),
      history: element("span", { role: "cell", class: "history" }),
      age: element("span", { role: "cell", class: "age" }),
    };
    this.link = element("a", { href: `./?target=${encodeURIComponent(summary.target)}` }, shown(this.parts.name || summary.target, 120));
    const about = [this.parts.scheme, this.parts.project].filter(Boolean).join(" · ");
    this.node = element("div", { role: "row", class: "row" }, this.cells.state,
      element("span", { role: "rowheader", class: "name" }, this.link, element("small", {}, shown(about, 120))),
      this.cells.ready, this.cells.missing, this.cells.type, this.cells.place, this.cells.history, this.cells.age);
    this.node.title = shown(summary.target, 300);
  }
  /// Stores a new summary; draw() shows it.
  take(summary) {
    this.summary = summary;
    this.seen = summary.age_ms === null ? null : Date.now() - summary.age_ms;
    this.isStale = true;
  }
  values(key) {
    const { summary, parts } = this;
    switch (key) {
      case "state": return [summary.standing, summary.state, summary.phase];
      case "kind": return [parts.scheme];
      case "name": case "project": case "namespace": return [parts[key]];
      case "zone": return [parts.zone || summary.place];
      default: return [String(summary[key] ?? "")];
    }
  }
  draw() {
    if (!this.isStale) return;
    this.isStale = false;
    const { summary, cells } = this;
    this.node.className = `row s-${summary.standing}`;
    cells.state.replaceChildren(shape(summary.standing), element("span", {}, summary.standing));
    const part = summary.total > 0 ? summary.ready / summary.total : 0;
    const bar = element("span", { class: "bar", "aria-hidden": "true" }, element("i"));
    bar.firstChild.style.width = `${part * 100}%`;
    cells.ready.replaceChildren(bar, element("span", { class: "num" }, summary.total > 0 ? `${number(summary.ready)}/${number(summary.total)}` : "–"));
    const why = summary.trouble || summary.missing;
    cells.missing.textContent = shown(why, 300);
    cells.missing.classList.toggle("trouble", Boolean(summary.trouble));
    cells.type.textContent = shown(summary.type, 60);
    cells.place.textContent = shown(summary.place, 60);
    this.drawHistory();
    this.drawAge();
  }
  drawHistory() {
    const now = time.now();
    const changes = (this.summary.history ?? []).map(([seconds, phase, ready, total]) => [seconds * 1000, standingThen(phase, ready, total)]);
    this.cells.history.replaceChildren(timeline(changes, now - shownHistory, now, 132, 16));
  }
  drawAge() {
    const text = this.seen === null || this.seen === undefined ? "never" : duration(Date.now() - this.seen);
    if (this.cells.age.textContent !== text) this.cells.age.textContent = text;
    this.cells.age.classList.toggle("old", this.seen === null || Date.now() - this.seen > 60_000);
  }
}

export class FleetView {
  path = "v1/clusters";
  rows = new Map();      // by id
  waiting = new Set();   // rows to draw
  left = new Set();      // ids that were removed since the stream began
  isOrdered = false;

  constructor(main) {
    const parameters = new URLSearchParams(location.search);
    this.sort = parameters.get("sort") || "state";
    this.summary = element("section", { class: "summary", "aria-label": "Summary" });
    this.filter = element("input", {
      id: "filter", type: "search", autocomplete: "off", spellcheck: "false", placeholder: "state!=ready type=v5* zone=us-*",
      "aria-label": "Filter", "aria-describedby": "filter-help", value: parameters.get("filter") ?? "", oninput: () => this.refilter(),
    });
    this.fault = element("span", { id: "filter-help", class: "quiet", role: "status" });
    this.count = element("span", { class: "quiet count" });
    this.head = element("div", { role: "row", class: "row head" });
    this.body = element("div", { role: "rowgroup", class: "rows" });
    this.nothing = element("p", { class: "quiet nothing", hidden: true });
    main.replaceChildren(this.summary,
      element("div", { class: "tools" }, element("label", { class: "search" }, element("span", { "aria-hidden": "true" }, "/"), this.filter), this.count, this.fault),
      element("div", { role: "table", class: "card fleet", "aria-label": "Clusters" }, element("div", { role: "rowgroup" }, this.head), this.body, this.nothing));
    this.drawHead();
    this.refilter(false);
    this.timers = [
      setInterval(() => this.drawAges(), 1000),
      setInterval(() => this.redrawHistories(), 60_000),
    ];
  }
  close() {
    this.timers.forEach(clearInterval);
    cancelAnimationFrame(this.frame);
    clearTimeout(this.recheck);
    this.closed = true;
  }

  event(type, data) {
    if (data.now_ms) time.ahead = data.now_ms - Date.now();
    if (type === "start") {
      const there = new Set(data.ids);
      // If an announced id gets no summary within 10 s, this client has gained rights since: restart the stream to get everything.
      const awaited = data.ids.filter((id) => !this.rows.has(id));
      clearTimeout(this.recheck);
      this.recheck = setTimeout(() => { if (awaited.some((id) => !this.rows.has(id) && !this.left.has(id))) this.restart(); }, 10_000);
      this.left = new Set();
      for (const id of [...this.rows.keys()]) if (!there.has(id)) this.drop(id);
    } else if (type === "summary") {
      let row = this.rows.get(data.id);
      if (row && row.summary.target !== data.target) {  // another service, or a restarted one, has other ids
        this.drop(data.id);
        row = undefined;
      }
      if (!row) this.rows.set(data.id, row = new Row(data));
      row.take(data);
      this.waiting.add(row);
    } else if (type === "looked") {
      const seen = Date.now() - data.age_ms;
      for (const id of data.ids) {
        const row = this.rows.get(id);
        if (row) row.seen = seen;
      }
      return;
    } else if (type === "gone") {
      this.left.add(data.id);
      this.drop(data.id);
    }
    this.isOrdered = false;
    this.hasStarted = true;
    this.later();
  }
  state(word) {
    if (word === "open") this.later();
  }
  gone(failure) {
    this.nothing.hidden = false;
    this.nothing.textContent = shown(failure.message);
  }
  drop(id) {
    const row = this.rows.get(id);
    if (!row) return;
    row.node.remove();
    this.waiting.delete(row);
    this.rows.delete(id);
  }

  later() {
    if (this.frame || this.closed) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.draw();
    });
  }
  draw() {
    const end = performance.now() + slice;
    for (const row of this.waiting) {
      row.draw();
      this.place(row);
      this.waiting.delete(row);
      if (performance.now() > end) return this.later();
    }
    if (!this.isOrdered) this.arrange();
    this.drawSummary();
  }
  place(row) {
    row.node.hidden = !matches(this.terms, row);
    if (!row.node.isConnected) this.body.append(row.node);
  }
  // Rows in the right place are not moved.
  arrange() {
    this.isOrdered = true;
    const name = this.sort.replace(/^-/, "");
    const column = columns.find((one) => one.key === name) ?? columns[0];
    const sign = this.sort.startsWith("-") ? -1 : 1;
    const sorted = [...this.rows.values()].filter((row) => row.node.isConnected);
    sorted.sort((a, b) => sign * column.compare(a, b) || compareTexts(a.summary.target, b.summary.target));
    const focused = document.activeElement;
    let next = this.body.firstChild;
    for (const row of sorted) {
      if (row.node === next) next = next.nextSibling;
      else this.body.insertBefore(row.node, next);
    }
    if (focused && focused !== document.activeElement && this.body.contains(focused)) focused.focus({ preventScroll: true });
  }

  drawSummary() {
    const counts = Object.fromEntries(best.map((word) => [word, 0]));
    let ready = 0;
    let total = 0;
    let visible = 0;
    for (const row of this.rows.values()) {
      ++counts[row.summary.standing];
      ready += row.summary.ready;
      total += row.summary.total;
      if (!row.node.hidden) ++visible;
    }
    const all = this.rows.size;
    this.count.textContent = visible === all ? `${number(all)} clusters` : `${number(visible)} of ${number(all)} clusters`;
    this.nothing.hidden = visible > 0 || !this.hasStarted;
    this.nothing.textContent = all > 0 ? "No cluster matches the filter." : "Nothing is followed now. A cluster appears here as soon as a client waits for it: rollcall wait tpu:NAME";
    const key = JSON.stringify([counts, ready, total, this.filter.value]);
    if (key === this.summaryKey) return;
    this.summaryKey = key;
    const strip = element("div", { class: "share", "aria-hidden": "true" });
    for (const word of best) {
      if (!counts[word]) continue;
      const piece = element("i", { class: `s-${word}` });
      piece.style.flexGrow = counts[word];
      strip.append(piece);
    }
    const chip = (word) => {
      const filter = `state=${word}`;
      const isOn = this.filter.value.trim() === filter;
      return element("button", {
        type: "button", class: `chip s-${word}`, "aria-pressed": String(isOn), "data-standing": word,
        onclick: () => { this.filter.value = isOn ? "" : filter; this.refilter(); },
      }, shape(word), element("b", {}, number(counts[word])), element("span", {}, word));
    };
    const focused = document.activeElement?.dataset?.standing;
    this.summary.replaceChildren(
      element("div", { class: "total" }, element("b", { class: "num" }, number(ready)), element("span", {}, ` of ${number(total)} tasks ready`)),
      strip, element("div", { class: "chips" }, ...best.filter((word) => counts[word] || word === "ready" || word === "failed").map(chip)));
    if (focused) this.summary.querySelector(`[data-standing="${focused}"]`)?.focus();
  }

  refilter(remembers = true) {
    const { terms, fault } = parseFilter(this.filter.value);
    this.terms = terms;
    this.fault.textContent = fault;
    this.filter.setAttribute("aria-invalid", String(Boolean(fault)));
    this.filter.title = `KEY=PATTERN, KEY!=PATTERN; * is any text, + joins patterns; keys: ${filterKeys.join(", ")}`;
    for (const row of this.rows.values()) this.waiting.add(row);
    if (remembers) this.remember();
    this.later();
  }
  remember() {
    const url = new URL(location.href);
    const put = (key, value) => value ? url.searchParams.set(key, value) : url.searchParams.delete(key);
    put("filter", this.filter.value.trim());
    put("sort", this.sort === "state" ? "" : this.sort);
    history.replaceState(null, "", url);
  }
  drawHead() {
    this.head.replaceChildren(...columns.map(({ key, title }) => {
      const sorted = this.sort === key ? "ascending" : this.sort === `-${key}` ? "descending" : "none";
      if (!key) return element("span", { role: "columnheader" }, title);
      return element("span", { role: "columnheader", "aria-sort": sorted }, element("button", {
        type: "button", "data-key": key,
        onclick: () => {
          this.sort = this.sort === key ? `-${key}` : key;
          this.isOrdered = false;
          this.drawHead();
          this.head.querySelector(`[data-key="${key}"]`).focus();
          this.remember();
          this.later();
        },
      }, title, element("i", { "aria-hidden": "true" }, sorted === "ascending" ? "↑" : sorted === "descending" ? "↓" : "")));
    }));
  }
  // Only visible rows: the others are drawn when they become visible.
  visibleRows() {
    return [...this.rows.values()].filter((row) => !row.node.hidden && row.cells.age.checkVisibility({ contentVisibilityAuto: true }));
  }
  drawAges() {
    for (const row of this.visibleRows()) row.drawAge();
  }
  redrawHistories() {
    for (const row of this.rows.values()) {
      row.isStale = true;
      this.waiting.add(row);
    }
    this.later();
  }
  /// For the keys j and k, and arrows: moves the focus from link to link.
  move(by, event) {
    const links = [...this.body.querySelectorAll(".row:not([hidden]) a")];
    if (!links.length) return;
    const at = links.indexOf(document.activeElement);
    event.preventDefault();
    links[Math.min(links.length - 1, Math.max(0, at < 0 ? 0 : at + by))].focus();
  }
}
