// One cluster: its missing members, with reason and time; its history; its slices; and the command that waits for it.
import { clock, drawing, duration, element, number, parseTarget, pathOf, shape, shapeParts, shellWord, shown, standingThen, time, timeline } from "./parts.js";
import { ask } from "./stream.js";

const maxShown = 200;        // members of a group that are listed
const maxNumbered = 1024;    // hosts of a slice whose cells have numbers
const levels = ["ready", "waiting", "unschedulable", "stopped", "lost"];
const standingOf = { ready: "ready", waiting: "provisioning", unschedulable: "queued", stopped: "incomplete", lost: "failed" };

// What is known of a member's machine, accelerators and part: `gpu-b12, 8 GPU H100, slice 1 of 4`.
const known = ({ name, host, accelerators, part }) => [
  host !== name && host,
  accelerators && [accelerators.count, accelerators.kind, accelerators.model, accelerators.of === "machine" ? "of its machine" : ""].filter((word) => word !== "" && word !== undefined).join(" "),
  part && `${part.kind} ${part.index}${part.count > 0 ? ` of ${part.count}` : ""}`,
].filter(Boolean).join(", ");
const keyOf = (member) => `${member.job} ${member.index}`;

/// `3–7, 9`, of ascending numbers.
function ranges(numbers) {
  const parts = [];
  for (let i = 0; i < numbers.length;) {
    let end = i;
    while (end + 1 < numbers.length && numbers[end + 1] === numbers[end] + 1) ++end;
    parts.push(end === i ? `${numbers[i]}` : `${numbers[i]}–${numbers[end]}`);
    i = end + 1;
  }
  return parts.length > 40 ? `${parts.slice(0, 40).join(", ")}, …` : parts.join(", ");
}

/// The outermost two of a chain of causes: `cause, cause`.
function causesText(causes) {
  return (causes ?? []).slice(0, 2).map(({ code, text, object }) => {
    const said = !text ? code : text.startsWith(code) ? text : `${code}: ${text}`;
    return shown(object && object !== "pod" && !object.startsWith("Pod ") ? `${said} (${object})` : said, 200);
  }).join(", ");
}

/// Why a member is not ready: { level, why }; `why` is empty for ready members.
function reasonOf(member) {
  const causes = causesText(member.causes);
  if (member.state !== "ready") return { level: member.state, why: causes || member.state_text || member.state };
  if (member.health !== "ready") return { level: member.health, why: causes || member.health_text || member.health };
  return member.address ? { level: "ready", why: "" } : { level: "waiting", why: "has no address yet" };
}

export class ClusterView {
  members = new Map();
  since = new Map();  // by member: when the page first saw its current reason
  topologies = new Map();

  constructor(main, target) {
    this.target = target;
    this.path = `${pathOf(target)}?view=status`;
    this.parts = parseTarget(target);
    const section = (name, title) => {
      this[name] = element("div");
      return element("section", { class: `card ${name}`, "aria-label": title }, element("h2", {}, title), this[name]);
    };
    this.top = element("header", { class: "cluster" });
    // The page's address may come from an attacker: the copied text is the shown text, and the target is one word for a shell.
    const line = `rollcall wait ${shellWord(shown(target, 4096))}`;
    this.copied = element("p", { role: "status", class: "copied quiet" });
    main.replaceChildren(element("p", { class: "back" }, element("a", { href: "./" }, "← all clusters")), this.top,
      this.trouble = element("p", { class: "card trouble", role: "status", hidden: true }),
      this.notices = element("div", { class: "notices" }),
      element("div", { class: "columns" },
        element("div", {}, section("missing", "Missing members"), section("slices", "Slices")),
        element("div", {}, section("past", "History"),
          element("section", { class: "card", "aria-label": "Wait for it" }, element("h2", {}, "Wait for it"),
            element("div", { class: "copy" }, element("code", { id: "wait-line" }, line),
              element("button", { type: "button", onclick: () => this.copy(line) }, "Copy")), this.copied),
          section("facts", "Facts"))));
    this.drawTop();
    this.timers = [setInterval(() => this.drawTimes(), 1000), setInterval(() => this.loadFollowers(), 60_000)];
    this.loadHistory();
    this.followersTimer = setTimeout(() => this.loadFollowers(), 1500);  // by then this page counts as a follower
  }
  close() {
    this.closed = true;
    this.timers.forEach(clearInterval);
    clearTimeout(this.historyTimer);
    clearTimeout(this.followersTimer);
    cancelAnimationFrame(this.frame);
  }

  async copy(line) {
    try {
      await navigator.clipboard.writeText(line);
      this.copied.textContent = "copied";
    } catch {  // not allowed here: select the text instead
      getSelection().selectAllChildren(document.getElementById("wait-line"));
      this.copied.textContent = "selected: copy it with Ctrl-C";
    }
    setTimeout(() => { this.copied.textContent = ""; }, 3000);
  }

  event(type, data) {
    if (typeof data.age_ms === "number") this.seen = Date.now() - data.age_ms;
    if (type === "status") this.whole(data);
    else if (type === "members") this.differ(data);
    else if (type === "sync") this.fetchWhole();
    else if (type === "trouble") this.setTrouble(data.message);
    else if (type === "final") this.gone(data);
    this.later();
  }
  gone(failure) {
    this.failure = failure;
    this.setTrouble(`${failure.message}${failure.hint ? `: ${failure.hint}` : ""}`);
    this.later();
  }
  setTrouble(message) {
    this.trouble.hidden = !message;
    this.trouble.textContent = shown(message, 1000);
  }
  async fetchWhole() {
    const answer = await ask(this.path).catch(() => null);
    if (this.closed || !answer?.ok) return;
    const body = await answer.json().catch(() => null);
    if (!this.closed && body) this.whole(body);
  }
  whole(body) {
    const { status } = body;
    this.failure = null;
    this.status = { ...status, generation: body.generation };
    const before = this.members;
    this.members = new Map();
    for (const member of status.members) this.put(member, before.get(keyOf(member)), before.size > 0);
    this.changed();
  }
  differ(data) {
    if (!this.status) return;
    Object.assign(this.status, { phase: data.phase, state: data.state, jobs: data.jobs, expected: data.expected, notices: data.notices, generation: data.generation });
    for (const member of data.changed) this.put(member, this.members.get(keyOf(member)), true);
    for (const place of data.gone) {
      this.members.delete(keyOf(place));
      this.since.delete(keyOf(place));
    }
    this.changed();
  }
  put(member, before, isNews) {
    const key = keyOf(member);
    if (isNews && (!before || reasonOf(before).why !== reasonOf(member).why)) this.since.set(key, Date.now());
    this.members.set(key, member);
  }
  changed() {
    clearTimeout(this.historyTimer);
    this.historyTimer = setTimeout(() => this.loadHistory(), 500);
    this.later();
  }
  async loadHistory() {
    const answer = await ask(`${pathOf(this.target)}?view=history`).catch(() => null);
    const body = answer?.ok ? await answer.json().catch(() => null) : null;
    if (this.closed || !body) return;
    this.history = body.history.map((one) => [Date.parse(one.time), standingThen(one.phase, one.ready, one.total), one]);
    this.later();
  }
  async loadFollowers() {
    const answer = await ask("v1/clusters").catch(() => null);
    const body = answer?.ok ? await answer.json().catch(() => null) : null;
    if (this.closed || !body) return;
    this.followers = body.clusters.find((one) => one.target === this.target)?.followers;
    this.later();
  }
  async topologyOf(type) {
    if (this.topologies.has(type)) return;
    this.topologies.set(type, null);
    const answer = await ask(`v1/topology/${encodeURIComponent(type)}`).catch(() => null);
    const body = answer?.ok ? await answer.json().catch(() => null) : null;
    if (this.closed || !body) return;
    this.topologies.set(type, body);
    this.later();
  }

  later() {
    if (this.frame || this.closed) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.draw();
    });
  }
  count() {
    const groups = new Map();
    const ready = [];
    for (const member of this.members.values()) {
      const { level, why } = reasonOf(member);
      if (level === "ready") ready.push(member);
      if (level === "ready" && !member.causes?.length) continue;
      const words = level === "ready" ? `ready, but ${causesText(member.causes)}` : why;  // its machine is not well
      const key = `${level} ${words}`;
      if (!groups.has(key)) groups.set(key, { level, why: words, members: [] });
      groups.get(key).members.push(member);
    }
    return { ready, groups: [...groups.values()].sort((a, b) => levels.indexOf(b.level) - levels.indexOf(a.level) || b.members.length - a.members.length) };
  }
  draw() {
    const { ready, groups } = this.count();
    const total = Math.max(this.status?.expected ?? 0, this.members.size);
    let standing = "unknown";
    if (this.failure || groups.some((group) => group.level === "lost" || group.level === "stopped")) standing = "failed";
    else if (this.status) {
      standing = this.status.phase === "running" ? (total > 0 && ready.length >= total ? "ready" : "incomplete") : this.status.phase;
      if (ready.length >= total && total > 0 && this.status.state?.level === "ready") standing = "ready";
    }
    this.drawTop(standing, ready.length, total);
    if (!this.status) return;
    this.notices.replaceChildren(...(this.status.notices ?? []).map((notice) =>
      element("p", { class: `card notice ${notice.kind === "preemption" ? "s-failed" : "s-incomplete"}` },
        element("strong", {}, notice.kind), ` ${shown(notice.subject, 100)}: ${shown(notice.text, 300)}`)));
    this.drawMissing(groups, ready, total);
    this.drawSlices();
    this.drawPast();
    this.drawFacts(ready.length, total);
  }
  drawTop(standing = "unknown", ready = 0, total = 0) {
    const bar = element("span", { class: "bar wide", "aria-hidden": "true" }, element("i"));
    bar.firstChild.style.width = `${total > 0 ? ready / total * 100 : 0}%`;
    const key = JSON.stringify([standing, ready, total, this.status?.state?.text]);
    if (key === this.topKey) return;
    this.topKey = key;
    this.top.className = `cluster s-${standing}`;
    this.top.replaceChildren(
      element("div", { class: "title" }, shape(standing, 26), element("h1", {}, shown(this.parts.name || this.target, 200)), element("span", { class: "word" }, standing)),
      element("p", { class: "mono quiet" }, shown(this.target, 1000)),
      element("div", { class: "big" }, element("b", { class: "num" }, number(ready)), element("span", {}, ` of ${number(total)} ready`), bar,
        this.age = element("span", { class: "quiet" })),
      ...(this.status?.state?.text ? [element("p", {}, shown(this.status.state.text, 500))] : []));
    this.drawTimes();
  }
  drawTimes() {
    if (this.age) this.age.textContent = this.seen ? `seen ${duration(Date.now() - this.seen)} ago` : "";
    for (const node of this.missing.querySelectorAll("[data-since]")) node.textContent = `for ${duration(Date.now() - Number(node.dataset.since))}`;
  }
  memberLine(member) {
    return element("li", {}, element("b", {}, `${shown(member.job, 60)} ${member.index}`),
      element("span", { class: "mono" }, shown(member.address || "no address", 120)), member.name ? element("span", { class: "quiet mono" }, shown(member.name, 120)) : null,
      element("span", { class: "quiet" }, shown(known(member), 200)));
  }
  group({ level, why, members }, isOpen) {
    const jobs = new Map();
    for (const member of members) jobs.set(member.job, [...(jobs.get(member.job) ?? []), member.index]);
    const who = [...jobs].map(([job, indices]) => `${shown(job, 60)} ${ranges(indices.sort((a, b) => a - b))}`).join("; ");
    const times = members.map((member) => this.since.get(keyOf(member))).filter(Boolean);
    const begun = times.length === members.length ? Math.min(...times) : 0;
    const list = element("ul");
    const details = element("details", { class: `group s-${standingOf[level] ?? "unknown"}`, "data-key": `${level} ${why}` },
      element("summary", {}, shape(standingOf[level] ?? "unknown"), element("b", { class: "num" }, number(members.length)),
        element("span", { class: "why" }, shown(why || "ready", 300)),
        begun ? element("span", { class: "quiet for", "data-since": begun }) : null, element("span", { class: "who mono" }, who)), list);
    const fill = () => {
      if (!details.open || list.firstChild) return;
      list.append(...members.slice(0, maxShown).map((member) => this.memberLine(member)));
      if (members.length > maxShown) list.append(element("li", { class: "quiet" }, `and ${number(members.length - maxShown)} more`));
    };
    details.addEventListener("toggle", fill);
    details.open = isOpen;
    fill();
    return details;
  }
  drawMissing(groups, ready, total) {
    const key = JSON.stringify([groups.map((group) => [group.level, group.why, group.members.map((m) => [keyOf(m), m.address])]), ready.map((m) => [keyOf(m), m.address]), total, causesText(this.status.causes)]);
    if (key === this.missingKey) return;
    this.missingKey = key;
    const open = new Set([...this.missing.querySelectorAll("details[open]")].map((one) => one.dataset.key));
    const focused = document.activeElement?.closest?.("details")?.dataset.key;
    const absent = total - this.members.size;
    const rows = groups.map((group) => this.group(group, open.has(`${group.level} ${group.why}`)));
    if (absent > 0) rows.push(element("p", { class: "group s-queued plainly" }, shape("queued"), element("b", { class: "num" }, number(absent)),
      ` not there yet${this.status.causes?.length ? `: ${causesText(this.status.causes)}` : ""}`));
    if (!rows.length) rows.push(element("p", { class: "quiet" }, total > 0 ? "None. All members are ready." : "No members are known yet."));
    if (ready.length) rows.push(this.group({ level: "ready", why: "", members: ready }, open.has("ready ")));
    this.missing.replaceChildren(...rows);
    if (focused) [...this.missing.querySelectorAll("details")].find((one) => one.dataset.key === focused)?.querySelector("summary").focus();
    this.drawTimes();
  }
  drawSlices() {
    const type = this.status.accelerator_type ?? "";
    if (type) this.topologyOf(type);
    const topology = this.topologies.get(type);
    const jobs = new Map();
    for (const member of this.members.values()) jobs.set(member.job, [...(jobs.get(member.job) ?? []), member]);
    const hosts = topology?.hosts ?? 0;
    const slices = [];
    for (const [job, members] of jobs) {
      members.sort((a, b) => a.index - b.index);
      const last = members.at(-1).index;
      const count = hosts > 0 ? Math.ceil((last + 1) / hosts) : 1;
      for (let i = 0; i < count && slices.length < 64; ++i) {
        const own = hosts > 0 ? members.filter((member) => Math.floor(member.index / hosts) === i) : members;
        const side = hosts > 0 ? topology.host_bounds : this.squareOf(own.length);
        slices.push({ name: count > 1 ? `${job}, slice ${i}` : job, first: i * hosts, members: own, side });
      }
    }
    const key = JSON.stringify([type, hosts, slices.map((slice) => [slice.name, slice.side, slice.members.map((m) => [m.index, m.state, m.health, m.state_text, m.address])])]);
    if (key === this.slicesKey) return;
    this.slicesKey = key;
    const legend = element("p", { class: "legend" }, ...[["ready", "ready"], ["provisioning", "coming"], ["queued", "no room, or not there"], ["incomplete", "stopped"], ["failed", "lost"]]
      .map(([standing, word]) => element("span", { class: `s-${standing}` }, shape(standing), word)));
    const words = topology ? `${type}: ${topology.chips} chips, topology ${topology.topology}${topology.topology_certain ? "" : " (the usual one)"}, ${topology.chips_per_host} a host` : "";
    this.slices.replaceChildren(...(words ? [element("p", { class: "quiet" }, words)] : []), legend,
      element("div", { class: "grids" }, ...slices.map((slice) => this.grid(slice))));
  }
  squareOf(count) {
    const wide = Math.max(1, Math.min(32, Math.ceil(Math.sqrt(count * 2))));
    return [wide, Math.max(1, Math.ceil(count / wide)), 1];
  }
  // A panel for each z; x runs to the right and y down, as in `rollcall topology --svg`.
  grid({ name, first, members, side }) {
    const [nx, ny, nz] = side;
    const places = nx * ny * nz;
    const cell = places > 256 ? 14 : places > 64 ? 22 : 34;
    const numbered = cell > 20 && places <= maxNumbered;
    const gap = cell > 20 ? 4 : 2;
    const label = nz > 1 ? 16 : 0;
    const panelWidth = nx * (cell + gap) + gap;
    const panelHeight = ny * (cell + gap) + gap + label;
    const across = Math.max(1, Math.min(nz, Math.floor(640 / (panelWidth + 10))));
    const width = across * (panelWidth + 10) - 10;
    const height = Math.ceil(nz / across) * (panelHeight + 8) - 8;
    const picture = drawing("svg", { class: "slice", viewBox: `0 0 ${width} ${height}`, width, height, role: "img" });
    const byIndex = new Map(members.map((member) => [member.index - first, member]));
    const ready = members.filter((member) => reasonOf(member).level === "ready").length;
    picture.setAttribute("aria-label", `${shown(name, 80)}: ${ready} of ${places} hosts ready`);
    for (let z = 0; z < nz; ++z) {
      const left = z % across * (panelWidth + 10);
      const top = Math.floor(z / across) * (panelHeight + 8);
      if (label) {
        const text = drawing("text", { x: left + gap, y: top + 11, class: "axis" });
        text.textContent = `z=${z}`;
        picture.append(text);
      }
      picture.append(drawing("rect", { class: "panel", x: left, y: top + label, width: panelWidth, height: panelHeight - label, rx: 5 }));
    }
    for (let i = 0; i < places; ++i) {
      const member = byIndex.get(i);
      if (!member && !this.status.accelerator_type) continue;
      const z = Math.floor(i / (nx * ny));
      const x = z % across * (panelWidth + 10) + gap + i % nx * (cell + gap);
      const y = Math.floor(z / across) * (panelHeight + 8) + label + gap + Math.floor(i / nx) % ny * (cell + gap);
      const { level, why } = member ? reasonOf(member) : { level: "", why: "not there yet" };
      const standing = standingOf[level] ?? "queued";
      const title = drawing("title");
      title.textContent = `${member ? `${shown(member.job, 60)} ${member.index}` : `worker ${first + i}`}: ${shown(why || "ready", 200)}${member?.address ? `, ${shown(member.address, 80)}` : ""}`;
      const group = drawing("g", { class: `host s-${standing}` }, title, drawing("rect", { x, y, width: cell, height: cell, rx: 4 }));
      if (numbered) {
        const text = drawing("text", { x: x + cell / 2, y: y + cell - 5, class: "index" });
        text.textContent = first + i;
        group.append(...shapeParts(standing, x + cell / 2, y + cell * 0.33, cell > 30 ? 5.5 : 3.6), text);
      } else {
        group.append(...shapeParts(standing, x + cell / 2, y + cell / 2, 3.5));
      }
      picture.append(group);
    }
    return element("figure", {}, element("figcaption", {}, element("b", {}, shown(name, 80)), ` ${number(ready)} of ${number(places)}`),
      element("div", { class: "scroll" }, picture));
  }
  drawPast() {
    if (!this.history?.length) return this.past.replaceChildren(element("p", { class: "quiet" }, "Nothing has been seen of it yet."));
    const now = time.now();
    const first = this.history[0][0];
    const begin = Math.min(Math.max(first, now - 6 * 3600_000), now - 60_000);
    const words = (one) => `${clock(Date.parse(one.time))} ${one.state || one.phase}, ${one.ready} of ${one.total}`;
    const strip = timeline(this.history.map(([at, standing, one]) => [at, standing, words(one)]), begin, now, 560, 34);
    strip.setAttribute("class", "strip long");
    const recent = this.history.slice(-12).reverse();
    this.past.replaceChildren(strip, element("p", { class: "ends quiet" }, element("span", {}, clock(begin)), element("span", {}, "now")),
      element("ol", { class: "changes" }, ...recent.map(([at, standing, one], i) => element("li", { class: `s-${standing}` },
        element("time", { datetime: one.time }, clock(at)), shape(standing, 12),
        element("span", {}, `${shown(one.state || one.phase, 160)}`), element("span", { class: "num quiet" }, `${number(one.ready)} of ${number(one.total)}`),
        element("span", { class: "quiet" }, i === 0 ? `for ${duration(now - at)}` : duration(recent[i - 1][0] - at))))));
  }
  drawFacts(ready, total) {
    const rows = [["generation", String(this.status.generation ?? "")], ["phase", this.status.phase], ["type", this.status.accelerator_type],
      ["place", this.parts.zone || this.parts.namespace], ["project", this.parts.project], ["members", `${number(ready)} ready of ${number(total)}`],
      ["followed by", this.followers === undefined ? "" : this.followers === 1 ? "this page alone" : `${number(this.followers)} clients, this page among them`]];
    const text = JSON.stringify(rows);
    if (text === this.factsKey) return;
    this.factsKey = text;
    this.facts.replaceChildren(element("dl", {}, ...rows.filter(([, value]) => value).flatMap(([name, value]) =>
      [element("dt", {}, name), element("dd", {}, shown(value, 200))])));
  }
}
