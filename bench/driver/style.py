"""The page's style sheet. Ours is orange, the peers are one blue, the floor is grey and hatched: labels distinguish them without colors, and the colors suit color-blind readers
(the palette of Okabe and Ito)."""

STYLE = """
:root { --paper: #fcfbf8; --card: #ffffff; --ink: #1c2126; --soft: #5c656e; --line: #e3e0d8; --faint: #f1efe9;
        --ours: #c2500a; --peer: #2b78b0; --floor: #8b9097; --met: #1c2126; --missed: #a8321e; color-scheme: light dark; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #14171a; --card: #1b1f23; --ink: #e9e6df; --soft: #9ba3ab; --line: #2f353b; --faint: #23282d;
          --ours: #f0923f; --peer: #62b0e4; --floor: #8d949b; --met: #e9e6df; --missed: #ff8f78; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, "Segoe UI", Roboto, "Helvetica Neue", "DejaVu Sans", sans-serif; }
main { max-width: 1120px; margin: 0 auto; padding: 48px 28px 72px; }
h1 { font-size: 30px; line-height: 1.2; margin: 0 0 6px; letter-spacing: -0.015em; font-weight: 650; }
h2 { font-size: 20px; margin: 52px 0 4px; letter-spacing: -0.01em; font-weight: 650; }
h3 { font-size: 15.5px; margin: 0; font-weight: 620; }
p { margin: 0 0 10px; max-width: 72ch; }
.soft, .note { color: var(--soft); }
.note { font-size: 13px; margin: 8px 0 0; }
code { font: 13px ui-monospace, "DejaVu Sans Mono", monospace; }
.warn { border-left: 4px solid var(--ours); background: var(--faint); padding: 10px 14px; margin: 18px 0; }
.facts { display: flex; flex-wrap: wrap; gap: 2px 28px; font-size: 13.5px; color: var(--soft); margin: 14px 0 0; }
.facts b { color: var(--ink); font-weight: 560; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 14px; font-variant-numeric: tabular-nums lining-nums; margin-top: 12px; }
th { text-align: left; font-weight: 560; font-size: 12.5px; color: var(--soft); border-bottom: 1.5px solid var(--ink); padding: 5px 10px; vertical-align: bottom; }
td { border-bottom: 1px solid var(--line); padding: 6px 10px; vertical-align: top; }
th:first-child, .what { padding-left: 0; }
.what::first-letter, h3::first-letter { text-transform: uppercase; }
.what { min-width: 170px; }
.goal-words { white-space: nowrap; }
th:last-child, td:last-child { padding-right: 0; }
.n { text-align: right; white-space: nowrap; }
.unit { color: var(--soft); font-size: 12.5px; padding-left: 4px; width: 1%; white-space: nowrap; }
.mine { font-weight: 650; }
.met, .missed, .open { white-space: nowrap; }
.met { color: var(--met); } .missed { color: var(--missed); font-weight: 650; } .open { color: var(--soft); }
.grid { display: grid; grid-template-columns: repeat(auto-fit, minmax(460px, 1fr)); gap: 18px; margin-top: 16px; align-items: start; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 18px 20px 14px; min-width: 0; }
.wide { grid-column: 1 / -1; }
.card .targets { font-size: 13px; margin: 8px 0 0; padding: 0; list-style: none; font-variant-numeric: tabular-nums; }
svg { display: block; width: 100%; height: auto; margin-top: 10px; overflow: visible; }
svg text { font: 12.5px system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; fill: var(--ink); font-variant-numeric: tabular-nums; }
svg .soft { fill: var(--soft); } svg .small { font-size: 11.5px; fill: var(--soft); } svg .end { text-anchor: end; } svg .middle { text-anchor: middle; }
svg .bold { font-weight: 650; }
.bar-peer { fill: var(--peer); } .bar-floor { fill: url(#hatch); stroke: var(--floor); } .bar-ours { fill: var(--ours); }
.whisker { stroke: var(--ink); stroke-width: 1.2; opacity: .75; } .one { stroke: var(--ours); stroke-width: 2; } .rule { stroke: var(--line); }
.goal { fill: var(--ink); stroke: var(--card); stroke-width: 1.2; }
.line-ours { stroke: var(--ours); } .line-peer { stroke: var(--peer); } .line-floor { stroke: var(--floor); stroke-dasharray: 6 4; }
.line { fill: none; stroke-width: 2.4; stroke-linejoin: round; }
.dot-ours { fill: var(--ours); } .dot-peer { fill: var(--peer); } .dot-floor { fill: var(--floor); }
svg .name-ours { fill: var(--ours); font-weight: 650; } svg .name-peer { fill: var(--peer); font-weight: 560; } svg .name-floor { fill: var(--soft); font-weight: 560; }
.key { display: flex; flex-wrap: wrap; gap: 6px 24px; font-size: 13px; color: var(--soft); margin-top: 10px; align-items: center; }
.key span { display: inline-flex; gap: 7px; align-items: center; }
.key svg { display: inline-block; width: 22px; height: 12px; margin: 0; }
@media (max-width: 560px) { .grid { grid-template-columns: 1fr; } main { padding: 28px 16px; } }
"""
