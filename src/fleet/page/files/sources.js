// The sources that the service polls: how often, and whether they answer.
import { compareTexts, duration, element, number, shown } from "./parts.js";
import { ask } from "./stream.js";

const pause = 5000;

export class SourcesView {
  constructor(main, page) {
    this.main = main;
    this.page = page;
    main.replaceChildren(element("h1", {}, "Sources"),
      element("p", { class: "lead" }, "The sources that the service polls, and how often: each source once, for all followers of its clusters."),
      this.table = element("div", { class: "card scroll" }, element("p", { class: "quiet" }, "…")),
      this.replicas = element("section", {}));
    this.load();
  }
  close() {
    this.closed = true;
    clearTimeout(this.timer);
  }
  async load() {
    try {
      const answer = await ask("v1/sources");
      const body = await answer.json();
      if (this.closed) return;
      if (answer.status === 401 || answer.status === 403) return this.page.refused(body);
      if (!answer.ok) throw new Error(body.message);
      this.show(body.sources);
      const replicas = await ask("v1/replicas");
      if (this.closed) return;
      if (replicas.ok) this.showReplicas(await replicas.json());
      this.page.setLive("on", "live");
    } catch (error) {
      if (this.closed) return;
      this.page.setLive("off", "not connected");
    }
    this.timer = setTimeout(() => this.load(), pause);
  }
  bar(part) {
    const bar = element("span", { class: `bar ${part > 0.8 ? "s-failed" : "s-ready"}`, role: "meter", "aria-label": "of the quota", "aria-valuemin": 0, "aria-valuemax": 1, "aria-valuenow": part.toFixed(2) }, element("i"));
    bar.firstChild.style.width = `${Math.min(1, part) * 100}%`;
    return bar;
  }
  showReplicas(all) {
    const row = (one) => element("tr", {},
      element("th", { scope: "row" }, shown(one.replica, 200)),
      element("td", {}, one.replica === all.leader ? (all.since ? `leads since ${shown(all.since)}` : "leads") : "follows"),
      element("td", {}, one.view_age_ms === null ? "not known" : `${duration(one.view_age_ms)} old`));
    this.replicas.replaceChildren(...(all.replica === "" ? [] : [
      element("h2", {}, "Replicas"),
      element("p", { class: all.trouble ? "trouble" : "lead" }, all.trouble ? shown(all.trouble) : "One of them polls the sources, and the others follow it."),
      element("div", { class: "card scroll" }, element("table", {}, element("thead", {}, element("tr", {},
        ...["Replica", "Part", "What it knows is"].map((title) => element("th", { scope: "col" }, title)))),
      element("tbody", {}, ...all.replicas.map(row))))]));
  }
  show(sources) {
    sources.sort((a, b) => compareTexts(a.source, b.source));
    const row = (one) => {
      const isWatched = one["told"];
      const part = one.quota_a_minute > 0 ? one.requests_a_minute / one.quota_a_minute : 0;
      return element("tr", { class: one.trouble ? "troubled" : null },
        element("th", { scope: "row" }, shown(one.source, 200)),
        element("td", { class: "num" }, number(one.targets)),
        element("td", {}, one.age_ms === null ? "not yet" : `${duration(one.age_ms)} ago`),
        element("td", { class: "num" }, isWatched ? "reports changes" : `${number(one.requests_a_minute)} of ${number(one.quota_a_minute)}`),
        element("td", {}, isWatched ? "" : this.bar(part)),
        element("td", { class: "trouble" }, shown(one.trouble) || "answers"));
    };
    this.table.replaceChildren(sources.length === 0 ? element("p", { class: "quiet" }, "Nothing is followed now.") :
      element("table", {}, element("thead", {}, element("tr", {},
        ...["Source", "Targets", "Last poll", "Requests a minute", "Of the quota", "Trouble"].map((title) => element("th", { scope: "col" }, title)))),
      element("tbody", {}, ...sources.map(row))));
  }
}
