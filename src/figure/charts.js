/*!
Charts by Vega 5 (https://vega.github.io), with parts of D3 (https://d3js.org).

Vega: Copyright (c) 2015-2021, University of Washington Interactive Data Lab. Its expression parser is based on Esprima:
Copyright (c) 2012-2013 Ariya Hidayat and contributors (BSD-2-Clause, the same text without its third condition).
d3-scale, d3-shape, d3-format, d3-color, d3-interpolate, d3-path, d3-time, d3-time-format, d3-timer, d3-collection, d3-dsv,
d3-geo: Copyright (c) 2010-2021 Mike Bostock. All rights reserved. BSD-3-Clause:

Redistribution and use in source and binary forms, with or without modification, are permitted provided that the following
conditions are met: 1. Redistributions of source code must retain the above copyright notice, this list of conditions and
the following disclaimer. 2. Redistributions in binary form must reproduce the above copyright notice, this list of
conditions and the following disclaimer in the documentation and/or other materials provided with the distribution.
3. Neither the name of the copyright holder nor the names of its contributors may be used to endorse or promote products
derived from this software without specific prior written permission.

THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS "AS IS" AND ANY EXPRESS OR IMPLIED WARRANTIES,
INCLUDING, BUT NOT LIMITED TO, THE IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE ARE
DISCLAIMED. IN NO EVENT SHALL THE COPYRIGHT HOLDER OR CONTRIBUTORS BE LIABLE FOR ANY DIRECT, INDIRECT, INCIDENTAL, SPECIAL,
EXEMPLARY, OR CONSEQUENTIAL DAMAGES (INCLUDING, BUT NOT LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS OR SERVICES; LOSS OF
USE, DATA, OR PROFITS; OR BUSINESS INTERRUPTION) HOWEVER CAUSED AND ON ANY THEORY OF LIABILITY, WHETHER IN CONTRACT, STRICT
LIABILITY, OR TORT (INCLUDING NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT OF THE USE OF THIS SOFTWARE, EVEN IF ADVISED
OF THE POSSIBILITY OF SUCH DAMAGE.

d3-array, internmap: Copyright (c) 2010-2021 Mike Bostock. topojson-client: Copyright (c) 2012-2019 Michael Bostock. ISC:

Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted,
provided that the above copyright notice and this permission notice appear in all copies. THE SOFTWARE IS PROVIDED "AS IS"
AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT, INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES
WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS
ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF THIS SOFTWARE.
*/
// The charting side of a figure: a template (a Vega specification), the figure's data, a theme. Bundled with Vega and
// embedded into the program; runs in a page and in Node.js. Expressions of templates are interpreted, never compiled,
// so that a page needs no permission to evaluate code.

import {expressionInterpreter} from "vega-interpreter";
import * as encode from "vega-encode";
import {parse} from "vega-parser";
import {transforms} from "vega-dataflow";
import * as tx from "vega-transforms";
import {Error as kErrors, extend} from "vega-util";
import {View} from "vega-view";
import * as vtx from "vega-view-transforms";

extend(transforms, tx, vtx, encode);

// Colours that stay apart for people with any kind of colour blindness: Okabe and Ito, "Color Universal Design" (2008).
const palettes = {
  light: {
    background: "#ffffff", text: "#1b1f24", muted: "#59636e", grid: "#e3e6ea",
    mm: "#0072b2", mv: "#d55e00", plain: "#009e73", scan: "#0072b2", critical: "#1b1f24", dead: "#b6bcc4",
    predicted: "#0072b2", measured: "#d55e00", best: "#009e73", refused: "#b6bcc4",
    series: ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#1b1f24", "#8c6d1f"],
    ramp: ["#f1f5f9", "#b9d3e8", "#6aa6d1", "#2a75ad", "#0b3c66"],
    diverging: ["#b35806", "#f1a340", "#f7f7f7", "#7fb3d5", "#1f5f99"],
  },
  dark: {
    background: "#15181c", text: "#e8eaed", muted: "#a4adb8", grid: "#2d333b",
    mm: "#56b4e9", mv: "#f08a45", plain: "#2fc79b", scan: "#56b4e9", critical: "#ffffff", dead: "#555d68",
    predicted: "#56b4e9", measured: "#f08a45", best: "#2fc79b", refused: "#555d68",
    series: ["#56b4e9", "#f08a45", "#2fc79b", "#dd9bc0", "#f0b429", "#9fd3f5", "#e8eaed", "#c9a94b"],
    ramp: ["#1d2733", "#23486b", "#2f74a8", "#69aede", "#cfe8fb"],
    diverging: ["#f0a35e", "#8a5a2b", "#2a2f36", "#2f6da3", "#8cc5ef"],
  },
};

const font = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif";

function config(palette) {
  return {
    background: palette.background,
    axis: {
      labelColor: palette.muted, titleColor: palette.text, domainColor: palette.muted, tickColor: palette.muted,
      gridColor: palette.grid, labelFont: font, titleFont: font, titleFontWeight: "normal", labelFontSize: 11,
      titleFontSize: 12, labelLimit: 160, titleLimit: 600,
    },
    legend: {
      labelColor: palette.text, titleColor: palette.text, labelFont: font, titleFont: font, titleFontWeight: "normal",
      labelFontSize: 12, labelLimit: 240,
    },
    title: {color: palette.text, subtitleColor: palette.muted, font, subtitleFont: font, fontSize: 14, anchor: "start"},
    text: {fill: palette.text, font},
    group: {stroke: null},
    events: {bind: "any"},
  };
}

/// The template with the tables and signals of a figure.
function merge(template, figure, palette) {
  const spec = JSON.parse(JSON.stringify(template));
  for (const source of spec.data ?? []) {
    const table = figure.tables[source.name];
    if (!table) continue;
    source.values = table.rows.map((row) => Object.fromEntries(table.columns.map((name, i) => [name, row[i]])));
  }
  const values = {...figure.signals, palette};
  for (const signal of spec.signals ?? []) {
    if (!(signal.name in values)) continue;
    signal.value = values[signal.name];
    delete signal.update;
  }
  return spec;
}

const logger = {
  level() { return this; },
  error(...what) { throw new globalThis.Error(what.join(" ")); },
  warn(...what) {
    // One of several tables of a scale may be empty: that is no news.
    if (!String(what[0]).startsWith("Infinite extent")) globalThis.console?.warn("figure:", ...what);
    return this;
  },
  info() { return this; },
  debug() { return this; },
};

function view(template, figure, theme, width, options) {
  const palette = palettes[theme];
  const spec = merge(template, figure, palette);
  if (width) spec.width = width;
  const runtime = parse(spec, config(palette), {ast: true});
  return new View(runtime, {expr: expressionInterpreter, logger, logLevel: kErrors, ...options});
}

/// Draws a figure into an element of a page; `tooltip(text or null, event)` shows what a mark is. Returns the view.
async function draw(element, template, figure, theme, width, tooltip) {
  const made = view(template, figure, theme, width, {
    container: element,
    renderer: "svg",
    hover: true,
    tooltip: (_, event, item, value) => tooltip(value === null || value === undefined || value === "" ? null : String(value), event),
  });
  return made.runAsync();
}

/// Lines of at most `most` average characters, broken at spaces where there are any.
function wrapped(text, most) {
  const size = (part) => [...part].reduce((sum, one) => sum + (one.codePointAt(0) > 0x2e7f ? 1.7 : 1), 0);
  const lines = [];
  let line = "";
  const add = (word) => {
    const longer = line ? line + " " + word : word;
    if (size(longer) <= most) { line = longer; return; }
    if (line) lines.push(line);
    line = "";
    for (const one of word) {
      if (size(line + one) > most) { lines.push(line); line = ""; }
      line += one;
    }
  };
  String(text).split(/\s+/u).filter(Boolean).forEach(add);
  if (line) lines.push(line);
  return lines;
}

const escapes = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;"};
// What XML cannot hold is a replacement character.
const escaped = (text) => text
  .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/gu, "\ufffd")
  .replace(/[&<>"]/g, (one) => escapes[one]);

/// Lines of text below `top`, and the height they take. Vega would cut them by a guess of how wide letters are.
function texts(styles, top) {
  let y = top;
  const lines = styles.flatMap((style) => style.lines.map((line) => {
    y += style.step;
    return `<text x="6" y="${y - 5}" font-family="${font}" font-size="${style.size}px" font-weight="${style.weight}" ` +
      `fill="${style.fill}">${escaped(line)}</text>`;
  }));
  return {height: y - top, markup: lines.join("")};
}

/// A figure as SVG text, its title and context above it and its caption below: it says alone what it shows.
async function svg(template, figure, theme, width) {
  const palette = palettes[theme];
  const across = (width || template.width) - 12;
  const plain = {weight: "normal", fill: palette.muted};
  const head = texts([
    {...plain, lines: wrapped(figure.title, across / 9), size: 14, step: 18, weight: "bold", fill: palette.text},
    {...plain, lines: wrapped(figure.context ?? "", across / 7.2), size: 12, step: 16},
  ], 6);
  const caption = {...plain, lines: wrapped(figure.caption, across / 6.6), size: 11, step: 15};
  const space = template.padding;
  const sides = typeof space === "number" ? {left: space, right: space, top: space, bottom: space} : space;
  const spec = {...template, padding: {...sides, top: sides.top + 6 + head.height, bottom: sides.bottom + 15 * caption.lines.length}};
  const drawn = await view(spec, figure, theme, width, {renderer: "none"}).toSVG();
  const end = drawn.lastIndexOf("</svg>");
  const height = Number(/^<svg[^>]* height="([\d.]+)"/u.exec(drawn)[1]);
  const foot = texts([caption], height - 15 * caption.lines.length - 3);
  return drawn.slice(0, end) + head.markup + foot.markup + drawn.slice(end);
}

globalThis.upsweepCharts = {draw, svg, palettes};
