// How a page looks: on screens, light and dark, wide and narrow, and on paper.
#pragma once

namespace dpmix {

inline constexpr char html_style[] = R"css(
:root { color-scheme: light dark; --ink: #1d2327; --soft: #5b6670; --line: #d9dee3; --page: #fff;
  --panel: #f5f7f9; --mark: #0b6e99; --warn: #8a4b00; --warn-page: #fff6e6; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e8eb; --soft: #a3aeb8; --line: #3a434b; --page: #14181b; --panel: #1d2327;
    --mark: #5bb6dd; --warn: #ffd08a; --warn-page: #33270f; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", "Liberation Sans", Arial, sans-serif; }
main { max-width: 62rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 .25rem; font-weight: 600; }
h2 { font-size: 1.2rem; line-height: 1.3; margin: 2.75rem 0 .5rem; font-weight: 600; }
p { margin: .5rem 0; max-width: 46rem; }
h1, p, li, dd, dt { overflow-wrap: anywhere; }
ul { margin: .5rem 0; padding-left: 1.25rem; max-width: 46rem; }
li { margin: .25rem 0; }
.over { color: var(--soft); text-transform: uppercase; letter-spacing: .06em; font-size: .8rem; margin: 0 0 .25rem; }
.sign { display: grid; grid-template-columns: 2fr 1fr 2fr; gap: 1.5rem; padding-top: 2.5rem;
  max-width: 46rem; }
.sign span { border-top: 1px solid var(--ink); font-size: .875rem; }
.soft, figcaption { color: var(--soft); font-size: .875rem; }
b, dt { font-weight: 600; }
bdi { unicode-bidi: isolate; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); gap: .75rem; margin: 1.5rem 0; padding: 0;
  list-style: none; max-width: none; }
.tiles li { background: var(--panel); border-radius: .4rem; padding: .75rem 1rem; margin: 0; }
.tiles b { display: block; font-size: 1.45rem; line-height: 1.3; font-variant-numeric: tabular-nums; }
.bar { background: var(--line); border-radius: .3rem; height: .6rem; overflow: hidden; margin: .75rem 0; max-width: 46rem; }
.bar div { background: var(--mark); height: 100%; }
.warn { background: var(--warn-page); color: var(--warn); border-left: .25rem solid; padding: .5rem .75rem; margin: .75rem 0; max-width: 46rem; }
figure { margin: 1rem 0; }
.pictures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); gap: 1rem; margin: 1.5rem 0; }
.pictures figure { margin: 0; border: 1px solid var(--line); border-radius: .4rem; padding: .5rem; min-width: 0; }
.pictures img { display: block; width: 100%; max-width: 46rem; height: auto; margin: 0 auto; }
.drawing { background: var(--page); border: 1px solid var(--line); border-radius: .4rem; padding: .5rem; overflow-x: auto; }
.drawing svg { display: block; max-width: 100%; height: auto; margin: 0 auto; }
.wide { overflow-x: auto; margin: .75rem 0; }
table { border-collapse: collapse; width: 100%; font-size: .875rem; line-height: 1.4; }
th { text-align: left; color: var(--soft); font-weight: 600; vertical-align: bottom; }
th, td { padding: .4rem .75rem .4rem 0; border-bottom: 1px solid var(--line); }
td { vertical-align: top; overflow-wrap: anywhere; unicode-bidi: isolate; font-variant-numeric: tabular-nums; min-width: 5rem; }
th:last-child, td:last-child { padding-right: 0; }
.n { text-align: right; overflow-wrap: normal; white-space: nowrap; }
td.n { min-width: 3.5rem; }
th.n { white-space: normal; }
.n + :not(.n) { padding-left: .75rem; }
.t { white-space: nowrap; }
.q { width: 34%; min-width: 14rem; }
code { font: .8125rem/1.45 ui-monospace, "Liberation Mono", Menlo, Consolas, monospace; overflow-wrap: anywhere; unicode-bidi: isolate; }
dl { display: grid; grid-template-columns: 9rem 1fr; gap: .35rem 1rem; max-width: 46rem; }
dd { margin: 0; }
@media (max-width: 640px) {
  main { padding: 1.25rem 1rem 3rem; }
  dl { display: block; }
  dd { margin-bottom: .5rem; }
  thead { display: none; }
  table, tbody, tr, td { display: block; width: auto; }
  tr { border: 1px solid var(--line); border-radius: .4rem; padding: .5rem .75rem; margin: .6rem 0; }
  td, td.n { border: 0; padding: .15rem 0; text-align: left; white-space: normal; min-width: 0; }
  .n + :not(.n) { padding-left: 0; }
  .drawing { padding: 0; }
  td::before { content: attr(data-title) ": "; color: var(--soft); }
}
@media print {
  .sign { break-inside: avoid; }
  :root { --ink: #000; --soft: #444; --line: #bbb; --page: #fff; --panel: #f3f3f3; --mark: #0b6e99; --warn: #000; --warn-page: #f3f3f3; }
  body { font-size: 10pt; }
  main { max-width: none; padding: 0; }
  h2 { break-after: avoid; }
  tr, figure, .tiles li { break-inside: avoid; }
  thead { display: table-header-group; }
  .wide, .drawing { overflow: visible; }
  .bar div { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  @page { margin: 16mm 14mm; }
}
)css";

}  // namespace dpmix
