// Shared by all views: elements, shapes, times, targets. Text is inserted into the document only as textContent.

export const standings = ["failed", "unknown", "incomplete", "provisioning", "queued", "ready"];  // the worst first
export const rank = Object.fromEntries(standings.map((word, place) => [word, place]));

/// An element with attributes, and with texts and elements in it. `on…` are listeners, false and null are left out.
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value === true ? "" : String(value));
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

const vector = "http://www.w3.org/2000/svg";
export function drawing(name, attributes = {}, ...children) {
  const made = document.createElementNS(vector, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  made.append(...children);
  return made;
}

/// Standings differ in shape as well as in color.
export function shapeParts(standing, x, y, r) {
  const circle = (radius, attributes) => drawing("circle", { cx: x, cy: y, r: radius, ...attributes });
  const ring = () => circle(r * 0.82, { class: "ring" });
  switch (standing) {
    case "ready": return [circle(r, { class: "fill" })];
    case "incomplete": return [ring(), drawing("path", { class: "fill", d: `M${x} ${y - r}A${r} ${r} 0 0 1 ${x} ${y + r}Z` })];
    case "provisioning": return [ring(), circle(r * 0.36, { class: "fill" })];
    case "queued": return [ring()];
    case "failed": return [drawing("path", { class: "cross", d: `M${x - r * 0.75} ${y - r * 0.75}L${x + r * 0.75} ${y + r * 0.75}M${x + r * 0.75} ${y - r * 0.75}L${x - r * 0.75} ${y + r * 0.75}` })];
    default: return [drawing("path", { class: "cross", d: `M${x - r * 0.8} ${y}H${x + r * 0.8}` })];
  }
}
export function shape(standing, size = 14) {
  const middle = size / 2;
  return drawing("svg", { class: `shape s-${standing}`, width: size, height: size, viewBox: `0 0 ${size} ${size}`, "aria-hidden": "true" },
    ...shapeParts(standing, middle, middle, middle - 1.5));
}

/// `12 s`, `4 min`, `2 h 5 min`, `3 d`.
export function duration(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours >= 48) return `${Math.floor(hours / 24)} d`;
  return minutes % 60 ? `${hours} h ${minutes % 60} min` : `${hours} h`;
}
export const clock = (ms) => new Date(ms).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hour12: false });
export const number = (value) => value.toLocaleString("en").replaceAll(",", "\u202f");

/// The service's clock, which histories use: `ahead` is its known difference to this one's.
export const time = { ahead: 0, now() { return Date.now() + this.ahead; } };

/// Escapes characters that could mislead a reader or break the line; cuts long texts.
const hidden = /[\u0000-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb]/gu;
export function shown(text, max = 400) {
  const whole = String(text ?? "");
  const clean = (whole.length > max ? whole.slice(0, max) + "\u2026" : whole);
  return clean.replace(hidden, (one) => one === "\n" ? " " : `\\u{${one.codePointAt(0).toString(16)}}`);
}

/// Text as one shell word: quoted if it contains special characters.
export const shellWord = (text) => /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/// The parts of a target that a row shows.
export function parseTarget(text) {
  const colon = text.indexOf(":");
  const parts = { scheme: text.slice(0, colon), name: "", project: "", zone: "", namespace: "" };
  const rest = text.slice(colon + 1).split(",");
  const decode = (value) => { try { return decodeURIComponent(value); } catch { return value; } };
  parts.name = decode(rest[0].includes("=") ? "" : rest[0]);
  for (const option of rest) {
    const at = option.indexOf("=");
    if (at < 0) continue;
    const key = option.slice(0, at);
    if (key in parts && key !== "scheme" && key !== "name") parts[key] = decode(option.slice(at + 1));
    if (key === "region" && !parts.zone) parts.zone = decode(option.slice(at + 1));
  }
  if (parts.scheme === "kubernetes") parts.namespace = parts.name;
  const jobs = rest.filter((option) => option.startsWith("job."));
  if (jobs.length) parts.name += ` ${jobs.map(decode).join(" ")}`;
  return parts;
}
export const pathOf = (target) => `v1/clusters/${target.replaceAll("%", "%25")}`;

const order = new Intl.Collator("en", { numeric: true });
export const compareTexts = (a, b) => order.compare(a, b);

// Filters as in `rollcall discover --filter`: KEY=PATTERN, KEY!=PATTERN, `*` is any text, `+` joins patterns; blanks join filters.
export const filterKeys = ["state", "name", "type", "place", "zone", "project", "namespace", "kind", "missing", "trouble", "target"];
/// A matcher of texts: in one pass, since names may be long and patterns may have many stars.
function glob(pattern) {
  const [first, ...rest] = pattern.toLowerCase().split("*");
  const last = rest.pop();
  return (value) => {
    const text = String(value ?? "").toLowerCase();
    if (last === undefined) return text === first;
    if (!text.startsWith(first) || text.length < first.length + last.length || !text.endsWith(last)) return false;
    let from = first.length;
    for (const part of rest) {
      const at = text.indexOf(part, from);
      if (at < 0 || at + part.length > text.length - last.length) return false;
      from = at + part.length;
    }
    return true;
  };
}

/// { terms, fault }: the conditions for a row, and the error in the text.
export function parseFilter(text) {
  const terms = [];
  let fault = "";
  for (const word of text.trim().split(/\s+/).filter(Boolean)) {
    const found = /^([a-z_]+)(!?)=(.*)$/u.exec(word);
    if (!found) terms.push({ key: "target", patterns: [glob(`*${word}*`)], not: false });
    else if (!filterKeys.includes(found[1])) fault = `there is no key ${found[1]}; keys are ${filterKeys.join(", ")}`;
    else terms.push({ key: found[1], patterns: found[3].split("+").map(glob), not: found[2] === "!" });
  }
  return { terms, fault };
}
export function matches(terms, row) {
  return terms.every(({ key, patterns, not }) => {
    const values = row.values(key);
    return patterns.some((pattern) => values.some(pattern)) !== not;
  });
}

/// The standing of a history's entry.
export const standingThen = (phase, ready, total) =>
  phase === "queued" || phase === "provisioning" ? phase : ready >= total && total > 0 ? "ready" : "incomplete";

/// A strip of a cluster's standings over time: changes are [ms, standing, words], the oldest first; from `begin` to `end`, all in ms.
export function timeline(changes, begin, end, width, height) {
  const at = (ms) => Math.round(Math.min(1, Math.max(0, (ms - begin) / (end - begin))) * width * 10) / 10;
  const strip = drawing("svg", { class: "strip", width, height, viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", "aria-hidden": "true" },
    drawing("rect", { class: "none", width, height, rx: 2 }));
  for (let i = 0; i < changes.length; ++i) {
    const [from, standing, words] = changes[i];
    const isLast = i + 1 === changes.length;
    const to = isLast ? end : changes[i + 1][0];
    const left = isLast ? Math.min(at(from), width - 3) : at(from);  // the current standing is visible even if it is new
    if (to < begin || at(to) - left <= 0) continue;
    const top = standing === "ready" ? 0 : standing === "incomplete" ? 0.25 : 0.5;  // the height shows it, too
    const piece = drawing("rect", { class: `s-${standing} fill`, x: left, y: height * top, width: Math.max(1.5, at(to) - left), height: height * (1 - top) });
    if (words) {
      const title = drawing("title");
      title.textContent = words;
      piece.append(title);
    }
    strip.append(piece);
  }
  return strip;
}
