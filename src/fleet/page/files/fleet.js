// The fleet: a row a cluster. Counts, filter and order are in the address; what changes is drawn once a frame.
import { compareTexts, duration, element, filterKeys, matches, number, parseFilter, parseTarget, rank, shape, shown, standings, standingThen, time, timeline } from "./parts.js";

const shownHistory = 2 * 3600_000;
const slice = 8;  // ms of a frame for rows, so that the page stays quick with thousands of them
const best = [...standings].reverse();

const columns = [
  { key: "state", title: "State", compare: (a, b) => rank[a.told.standing] - rank[b.told.standing] || compareTexts(a.parts.name, b.parts.name) },
  { key: "name", title: "Cluster", compare: (a, b) => compareTexts(a.parts.name, b.parts.name) },
  { key: "ready", title: "Ready", compare: (a, b) => a.told.ready / (a.told.total || 1) - b.told.ready / (b.told.total || 1) || a.told.total - b.told.total },
  { key: "missing", title: "Missing", compare: (a, b) => compareTexts(a.told.missing, b.told.missing) },
  { key: "type", title: "Type", compare: (a, b) => compareTexts(a.told.type, b.told.type) },
  { key: "place", title: "Place", compare: (a, b) => compareTexts(a.told.place, b.told.place) },
  { key: "", title: "Last 2 hours" },
  { key: "age", title: "Seen", compare: (a, b) => (b.seen ?? 0) - (a.seen ?? 0) },
];

class Row {
  constructor(told) {
    this.parts = parseTarget(told.target);
    this.cells = {
      state: element("span", { role: "cell", class: "state" }),
      ready: element("span", { role: "cell", class: "ready" }),
      missing: element("span", { role: "cell", class: "missing" }),
      type: element("span", { role: "cell", class: "type" }),
      place: element("span", { role: "cell", class: "place" }),
      history: element("span", { role: "cell", class: "history" }),
      age: element("span", { role: "cell", class: "age" }),
    };
    this.link = element("a", { href: `./?target=${encodeURIComponent(told.target)}` }, shown(this.parts.name || told.target, 120));
    const about = [this.parts.scheme, this.parts.project].filter(Boolean).join(" · ");
    this.node = element("div", { role: "row", class: "row" }, this.cells.state,
      element("span", { role: "rowheader", class: "name" }, this.link, element("small", {}, shown(about, 120))),
      this.cells.ready, this.cells.missing, this.cells.type, this.cells.place, this.cells.history, this.cells.age);
    this.node.title = shown(told.target, 300);
  }
  /// True if it stands elsewhere in an order, or another filter holds now.
  take(told) {
    this.told = told;
    this.seen = told.age_ms === null ? null : Date.now() - told.age_ms;
    this.isStale = true;
  }
  values(key) {
    const { told, parts } = this;
    switch (key) {
      case "state": return [told.standing, told.state, told.phase];
      case "kind": return [parts.scheme];
      case "name": case "project": case "namespace": return [parts[key]];
      case "zone": return [parts.zone || told.place];
      default: return [String(told[key] ?? "")];
    }
  }
  draw() {
    if (!this.isStale) return;
    this.isStale = false;
    const { told, cells } = this;
    this.node.className = `row s-${told.standing}`;
    cells.state.replaceChildren(shape(told.standing), element("span", {}, told.standing));
    const part = told.total > 0 ? told.ready / told.total : 0;
    const bar = element("span", { class: "bar", "aria-hidden": "true" }, element("i"));
    bar.firstChild.style.width = `${part * 100}%`;
    cells.ready.replaceChildren(bar, element("span", { class: "num" }, told.total > 0 ? `${number(told.ready)}/${number(told.total)}` : "–"));
    const why = told.trouble || told.missing;
    cells.missing.textContent = shown(why, 300);
    cells.missing.classList.toggle("trouble", Boolean(told.trouble));
    cells.type.textContent = shown(told.type, 60);
    cells.place.textContent = shown(told.place, 60);
    this.drawHistory();
    this.drawAge();
  }
  drawHistory() {
    const now = time.now();
    const changes = (this.told.history ?? []).map(([seconds, phase, ready, total]) => [seconds * 1000, standingThen(phase, ready, total)]);
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
  waiting = new Set();   // rows that are to be drawn
  left = new Set();      // ids that have gone since the stream began
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
    clearTimeout(this.doubt);
    this.closed = true;
  }

  event(type, data) {
    if (data.now_ms) time.ahead = data.now_ms - Date.now();
    if (type === "start") {
      const there = new Set(data.ids);
      // What is there and is not told is what this reader may see by now: all is asked for anew.
      const awaited = data.ids.filter((id) => !this.rows.has(id));
      clearTimeout(this.doubt);
      this.doubt = setTimeout(() => { if (awaited.some((id) => !this.rows.has(id) && !this.left.has(id))) this.restart(); }, 10_000);
      this.left = new Set();
      for (const id of [...this.rows.keys()]) if (!there.has(id)) this.drop(id);
    } else if (type === "summary") {
      let row = this.rows.get(data.id);
      if (row && row.told.target !== data.target) {  // another service, or the same one started anew, counts otherwise
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
    this.isTold = true;
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
  // Rows that stand right already stay where they are.
  arrange() {
    this.isOrdered = true;
    const name = this.sort.replace(/^-/, "");
    const column = columns.find((one) => one.key === name) ?? columns[0];
    const sign = this.sort.startsWith("-") ? -1 : 1;
    const sorted = [...this.rows.values()].filter((row) => row.node.isConnected);
    sorted.sort((a, b) => sign * column.compare(a, b) || compareTexts(a.told.target, b.told.target));
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
      ++counts[row.told.standing];
      ready += row.told.ready;
      total += row.told.total;
      if (!row.node.hidden) ++visible;
    }
    const all = this.rows.size;
    this.count.textContent = visible === all ? `${number(all)} clusters` : `${number(visible)} of ${number(all)} clusters`;
    this.nothing.hidden = visible > 0 || !this.isTold;
    this.nothing.textContent = all > 0 ? "No cluster is like that." : "Nothing is followed now. A cluster appears here as soon as somebody waits for it: rollcall wait tpu:NAME";
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
  // Of what can be seen: the others are drawn when they come into sight.
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
  /// The keys j and k, and arrows: from link to link.
  move(by, event) {
    const links = [...this.body.querySelectorAll(".row:not([hidden]) a")];
    if (!links.length) return;
    const at = links.indexOf(document.activeElement);
    event.preventDefault();
    links[Math.min(links.length - 1, Math.max(0, at < 0 ? 0 : at + by))].focus();
  }
}
