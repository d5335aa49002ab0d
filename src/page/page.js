// The behaviour of a report: sorts tables, opens what a link leads to, draws figures when they come into view. Texts
// of the report are only ever set as text.
(() => {
  "use strict";
  const root = document.documentElement;
  const charts = globalThis.upsweepCharts;
  const tip = document.getElementById("tip");

  // --- theme ---
  const prefersDark = matchMedia("(prefers-color-scheme: dark)");
  const theme = () => root.dataset.theme || (prefersDark.matches ? "dark" : "light");
  const toggle = document.getElementById("theme");
  const nameToggle = () => { toggle.textContent = theme() === "dark" ? "Light colours" : "Dark colours"; };
  toggle.hidden = false;
  nameToggle();
  toggle.addEventListener("click", () => {
    root.dataset.theme = theme() === "dark" ? "light" : "dark";
    nameToggle();
    redraw();
  });
  prefersDark.addEventListener("change", () => { nameToggle(); redraw(); });

  // --- tables ---
  function key(cell, isNumber) {
    if (!isNumber) return cell.textContent;
    return cell.dataset.value === undefined ? NaN : Number(cell.dataset.value);
  }

  /// Rows without a value stay last in both directions; equal ones keep their order.
  function sort(table, column, direction) {
    const body = table.tBodies[0];
    const isNumber = table.tHead.rows[0].cells[column].classList.contains("n");
    const rows = [...body.rows].map((row) => ({row, key: key(row.cells[column], isNumber)}));
    rows.sort((a, b) => {
      if (!isNumber) return direction * a.key.localeCompare(b.key, undefined, {numeric: true});
      if (Number.isNaN(a.key) || Number.isNaN(b.key)) return Number.isNaN(a.key) - Number.isNaN(b.key);
      return direction * (a.key - b.key);
    });
    body.append(...rows.map((entry) => entry.row));
    for (const head of table.tHead.rows[0].cells) head.removeAttribute("aria-sort");
    table.tHead.rows[0].cells[column].setAttribute("aria-sort", direction > 0 ? "ascending" : "descending");
  }

  for (const table of document.querySelectorAll("table")) {
    if (!table.tHead || table.tBodies[0].rows.length < 2) continue;
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        sort(table, column, head.getAttribute("aria-sort") === "ascending" ? -1 : 1);
      });
    });
  }

  // A box that scrolls can be reached by keyboard.
  function markScrollers() {
    for (const box of document.querySelectorAll(".scroller")) {
      const scrolls = box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight;
      if (scrolls) {
        box.tabIndex = 0;
        box.setAttribute("role", "region");
        box.setAttribute("aria-label", box.querySelector("caption").textContent);
      } else {
        box.removeAttribute("tabindex");
        box.removeAttribute("role");
        box.removeAttribute("aria-label");
      }
    }
  }

  // --- tooltips ---
  function showTip(text, event) {
    if (text === null || !event) {
      tip.hidden = true;
      return;
    }
    tip.textContent = text;
    tip.hidden = false;
    const point = event.touches?.[0] ?? event.changedTouches?.[0] ?? event;
    const box = tip.getBoundingClientRect();
    const left = point.clientX + 14 + box.width < innerWidth ? point.clientX + 14 : point.clientX - 14 - box.width;
    const top = point.clientY + 14 + box.height < innerHeight ? point.clientY + 14 : point.clientY - 14 - box.height;
    tip.style.left = `${Math.max(4, left)}px`;
    tip.style.top = `${Math.max(4, top)}px`;
  }
  addEventListener("scroll", () => { tip.hidden = true; }, {passive: true});
  addEventListener("keydown", (event) => { if (event.key === "Escape") tip.hidden = true; });

  // --- figures ---
  const json = (id) => JSON.parse(document.getElementById(id).textContent);
  const templates = new Map();
  function template(kind) {
    if (!templates.has(kind)) templates.set(kind, json(`template-${kind}`));
    return templates.get(kind);
  }

  const drawn = new Map();  // chart element -> {view, theme, width}
  const wanted = new Set();  // elements that are near the visible part
  let busy = 0;

  function report() {
    root.dataset.figuresDrawn = String(drawn.size);
    if (busy === 0 && isObserved) root.dataset.ready ??= String(Math.ceil(performance.now()));  // milliseconds
  }

  async function draw(chart, forced) {
    const width = Math.floor(chart.clientWidth);
    if (!charts || width < 1) return;  // not shown
    const look = {theme: forced ?? theme(), width};
    const before = drawn.get(chart);
    if (before && before.theme === look.theme && before.width === width) return;
    drawn.set(chart, look);
    delete root.dataset.ready;
    ++busy;
    try {
      const figure = json(chart.dataset.figure);
      const holder = document.createElement("div");
      look.view = await charts.draw(holder, template(figure.kind), figure, look.theme, width, showTip);
      if (drawn.get(chart) !== look) {  // another one has been wanted meanwhile
        look.view.finalize();
        return;
      }
      before?.view?.finalize();
      chart.replaceChildren(holder);
      chart.dataset.drawn = look.theme;
    } catch (error) {
      console.error(`${chart.dataset.figure}: ${error.message}`);
      chart.textContent = "This figure could not be drawn.";
      chart.dataset.drawn = "failed";
    } finally {
      --busy;
      report();
    }
  }

  function redraw() {
    for (const chart of drawn.keys()) {
      if (wanted.has(chart)) draw(chart);
    }
  }

  const all = [...document.querySelectorAll(".chart")];
  let isObserved = all.length === 0;
  const observer = new IntersectionObserver((entries) => {
    for (const {target, isIntersecting} of entries) {
      if (isIntersecting) {
        wanted.add(target);
        draw(target);
      } else {
        wanted.delete(target);
      }
    }
    isObserved = true;
    report();
  }, {rootMargin: "400px 0px"});
  for (const chart of all) observer.observe(chart);

  let pending = 0;
  addEventListener("resize", () => {
    clearTimeout(pending);
    pending = setTimeout(() => { markScrollers(); redraw(); }, 150);
  });

  // --- what a link leads to is opened; so is everything for a printer ---
  function openTarget() {
    const id = decodeURIComponent(location.hash.slice(1));
    const target = id && document.getElementById(id);
    if (!target) return;
    for (let element = target; element; element = element.parentElement) {
      if (element.tagName === "DETAILS") element.open = true;
    }
    target.scrollIntoView();
  }
  addEventListener("hashchange", openTarget);
  document.addEventListener("toggle", () => markScrollers(), true);

  let closed = [];
  addEventListener("beforeprint", () => {
    closed = [...document.querySelectorAll("details:not([open])")];
    for (const details of closed) details.open = true;
    for (const chart of all) draw(chart, "light");
  });
  addEventListener("afterprint", () => {
    for (const details of closed) details.open = false;
    redraw();
  });

  markScrollers();
  openTarget();
  report();
})();
