// The page: the view that the address selects, the banner above all views, and the keys.
import { duration, element, shown } from "./parts.js";
import { session, Stream } from "./stream.js";
import { FleetView } from "./fleet.js";
import { ClusterView } from "./cluster.js";
import { SourcesView } from "./sources.js";
import { BarriersView } from "./barriers.js";

const main = document.getElementById("main");
const banner = document.getElementById("banner");
const live = document.getElementById("live");
let view = null;
let stream = null;
let lost = null;  // since when, and the reason
let heard = 0;

function setLive(word, text) {
  live.className = `live-${word}`;
  live.replaceChildren(element("i", { "aria-hidden": "true" }), text);
}

function showBanner() {
  banner.hidden = !lost;
  document.body.classList.toggle("stale", Boolean(lost));
  if (!lost) return;
  const age = heard ? `What you see is ${duration(Date.now() - heard)} old.` : "It has not answered yet.";
  const text = `The service does not answer. ${age} The page retries and continues by itself.`;
  if (banner.firstChild?.textContent === text) return;
  banner.replaceChildren(element("strong", {}, text), element("span", {}, ` ${shown(lost.why, 200)}`));
}
setInterval(() => { if (lost) showBanner(); }, 1000);

function askForToken(failure) {
  setLive("off", "no access");
  const input = element("input", { type: "password", id: "token", autocomplete: "off", spellcheck: "false", required: true });
  const form = element("form", {
    class: "token card",
    onsubmit: (event) => {
      event.preventDefault();
      session.token = input.value.trim();
      show();
    },
  }, element("h1", {}, "This service needs a token"),
  element("p", {}, shown(failure.message)),
  element("label", { for: "token" }, "Token"), input,
  element("button", { type: "submit" }, "Go on"),
  element("p", { class: "quiet" }, "The token stays in this tab's memory and is sent only to this service. It is gone when the tab is closed or reloaded."));
  main.replaceChildren(form);
  input.focus();
}

const handlers = {
  event(type, data, id) {
    heard = Date.now();
    view.event(type, data, id);
  },
  state(word, detail) {
    if (word === "open") {
      lost = null;
      setLive("on", "live");
    } else if (word === "lost") {
      lost ??= {};
      lost.why = detail.message;
      setLive("off", "not connected");
    } else if (word === "paused") {
      setLive("off", "paused");
    } else if (word === "refused") {
      lost = null;
      askForToken(detail);
    } else {
      lost = null;
      setLive("off", "ended");
      view.gone?.(detail);
    }
    showBanner();
    view.state?.(word);
  },
};

function show() {
  stream?.close();
  stream = null;
  view?.close?.();
  lost = null;
  heard = 0;
  showBanner();
  setLive("off", "connecting");
  const parameters = new URLSearchParams(location.search);
  const target = parameters.get("target");
  const lists = { sources: SourcesView, barriers: BarriersView };
  const is = target ? "cluster" : Object.hasOwn(lists, parameters.get("view")) ? parameters.get("view") : "fleet";
  for (const link of document.querySelectorAll("#nav a")) {
    if (link.dataset.view === (is === "cluster" ? "fleet" : is)) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = target ? `${shown(target, 80)} · Rollcall` : lists[is] ? `${is[0].toUpperCase()}${is.slice(1)} · Rollcall` : "Rollcall fleet";
  view = target ? new ClusterView(main, target) : lists[is] ? new lists[is](main, { setLive, refused: askForToken }) : new FleetView(main);
  if (view.path) stream = new Stream(view.path, handlers);
  view.restart = () => stream.restart();
}

/// Goes to an address of this page without a reload.
function go(address) {
  history.pushState(null, "", address);
  show();
  scrollTo(0, 0);
  main.focus({ preventScroll: true });
}

document.getElementById("nav").replaceChildren(
  element("a", { href: "./", "data-view": "fleet" }, "Fleet"),
  element("a", { href: "./?view=barriers", "data-view": "barriers" }, "Barriers"),
  element("a", { href: "./?view=sources", "data-view": "sources" }, "Sources"));
main.tabIndex = -1;
addEventListener("popstate", show);
document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href]");
  if (!link || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const url = new URL(link.href);
  if (url.origin !== location.origin || url.pathname !== location.pathname) return;
  event.preventDefault();
  go(url.href);
});
document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const typing = event.target.matches?.("input, textarea, select");
  if (event.key === "/" && !typing) {
    const box = document.getElementById("filter");
    if (box) {
      event.preventDefault();
      box.focus();
      box.select();
    }
  } else if (event.key === "Escape" && typing) {
    event.target.blur();
  } else if (event.key === "Escape" && !typing && new URLSearchParams(location.search).has("target")) {
    history.length > 1 ? history.back() : go("./");
  } else if (!typing && (event.key === "j" || event.key === "k" || event.key === "ArrowDown" || event.key === "ArrowUp")) {
    view.move?.(event.key === "j" || event.key === "ArrowDown" ? 1 : -1, event);
  }
});
show();
