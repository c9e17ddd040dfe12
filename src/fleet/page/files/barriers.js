// The barriers that meet at the service: which tasks are missing at each, at which stage, and since when.
import { compareTexts, duration, element, number, shape, shown } from "./parts.js";
import { ask } from "./stream.js";

const pause = 2000;

/// What a missing task does, in words, and the standing whose colour it has.
export function wordsOf(missing) {
  if (!missing.stage) return [missing.why, / has failed with /.test(missing.why) ? "failed" : "unknown"];
  return [missing.stage, "provisioning"];
}

export class BarriersView {
  constructor(main, page) {
    this.page = page;
    main.replaceChildren(element("h1", {}, "Barriers"),
      element("p", { class: "lead" }, "Tasks that start together and meet at this service: rollcall exec --barrier. What a task does before it comes is said by rollcall stage."),
      this.cards = element("div", { class: "barriers" }, element("p", { class: "quiet" }, "…")));
    this.load();
  }
  close() {
    this.closed = true;
    clearTimeout(this.timer);
  }
  async load() {
    try {
      const answer = await ask("v1/runs");
      const body = await answer.json();
      if (this.closed) return;
      if (answer.status === 401) return this.page.refused(body);
      if (!answer.ok && answer.status !== 403) throw new Error(body.message);
      if (answer.ok) this.show(body.runs);
      else this.cards.replaceChildren(element("p", { class: "quiet" }, shown(body.message)));
      this.page.setLive("on", "live");
    } catch (error) {
      if (this.closed) return;
      this.page.setLive("off", "not connected");
    }
    this.timer = setTimeout(() => this.load(), pause);
  }
  // Those that wait come first, the longest one before the others.
  show(runs) {
    const isOver = (run) => run.roll.state === "released";
    runs.sort((a, b) => isOver(a) - isOver(b) || b.waiting_ms - a.waiting_ms || compareTexts(a.run, b.run));
    this.cards.replaceChildren(...(runs.length === 0 ? [element("p", { class: "quiet" }, "No task waits at a barrier here now.")] : runs.map((run) => this.card(run))));
  }
  card(run) {
    const { members, here, state, generation } = run.roll;
    const missing = run.roll.missing ?? [];
    const isOver = state === "released";
    const standing = isOver ? "ready" : "incomplete";
    const bar = element("span", { class: "bar wide", role: "meter", "aria-label": "tasks that are here", "aria-valuemin": 0, "aria-valuemax": members, "aria-valuenow": here }, element("i"));
    bar.firstChild.style.width = `${(members > 0 ? here / members : 0) * 100}%`;
    const more = members - here - missing.length;
    return element("section", { class: `card barrier s-${standing}` },
      element("div", { class: "title" }, shape(standing), element("h2", {}, shown(run.tasks, 200)),
        element("span", { class: "word" }, isOver ? `started, start ${generation}` : `waits for ${duration(run.waiting_ms)}`),
        element("span", { class: "quiet mono" }, shown(run.run, 32))),
      element("div", { class: "big" }, element("b", { class: "num" }, number(here)), element("span", {}, `of ${number(members)} tasks here`), bar),
      missing.length === 0 ? null : element("div", { class: "scroll" }, element("table", {}, element("thead", {}, element("tr", {},
        ...["Missing", "Stage", "For", "Others took"].map((title) => element("th", { scope: "col" }, title)))),
      element("tbody", {}, ...missing.map((one) => this.row(one))))),
      more > 0 && !isOver ? element("p", { class: "quiet" }, `and ${number(more)} more`) : null);
  }
  row(missing) {
    const [words, standing] = wordsOf(missing);
    return element("tr", { class: `s-${standing}` },
      element("th", { scope: "row" }, shown(missing.task, 120)),
      element("td", { class: "stage" }, shown(words, 300)),
      element("td", { class: "num" }, missing.stage ? duration(missing.for_ms ?? 0) : ""),
      element("td", { class: "num" }, missing.others_ms ? duration(missing.others_ms) : ""));
  }
}
