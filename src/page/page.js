// The behaviour of a report: sorts tables, opens what a link leads to, draws figures when they come into view, reads
// them out by keyboard and as tables. Texts of the report are only ever set as text.
(() => {
  "use strict";
  const root = document.documentElement;
  const charts = globalThis.upsweepCharts;
  const tip = document.getElementById("tip");

  /// An element with a class and a text.
  function made(tag, name, text) {
    const element = document.createElement(tag);
    if (name) element.className = name;
    if (text !== undefined) element.textContent = text;
    return element;
  }

  // --- theme: the reader's choice where it is not the system's, kept where the browser lets a page keep something ---
  function kept(use) {
    try {
      return use(localStorage);
    } catch {
      return null;  // a page from a file, or a reader who allows no storage
    }
  }
  const prefersDark = matchMedia("(prefers-color-scheme: dark)");
  const system = () => (prefersDark.matches ? "dark" : "light");
  const theme = () => root.dataset.theme || system();
  const choice = kept((storage) => storage.getItem("upsweep-theme"));
  if (choice === "dark" || choice === "light") root.dataset.theme = choice;
  const toggle = document.getElementById("theme");
  const nameToggle = () => { toggle.textContent = theme() === "dark" ? "Light colours" : "Dark colours"; };
  toggle.hidden = false;
  nameToggle();
  toggle.addEventListener("click", () => {
    const wish = theme() === "dark" ? "light" : "dark";
    if (wish === system()) {
      delete root.dataset.theme;
      kept((storage) => storage.removeItem("upsweep-theme"));
    } else {
      root.dataset.theme = wish;
      kept((storage) => storage.setItem("upsweep-theme", wish));
    }
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

  function makeSortable(table) {
    if (!table.tHead || table.tBodies[0].rows.length < 2) return;
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      const button = made("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        sort(table, column, head.getAttribute("aria-sort") === "ascending" ? -1 : 1);
      });
    });
  }

  for (const table of document.querySelectorAll("table")) makeSortable(table);

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
  addEventListener("scroll", () => {
    if (walked) showWalked();
    else tip.hidden = true;
  }, {passive: true});
  addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    tip.hidden = true;
    leave();
  });

  // --- figures ---
  const json = (id) => JSON.parse(document.getElementById(id).textContent);
  const templates = new Map();
  function template(kind) {
    if (!templates.has(kind)) templates.set(kind, json(`template-${kind}`));
    return templates.get(kind);
  }

  const kPaperWidth = 700;  // pixels: what A4 and Letter have between their margins
  const drawn = new Map();  // chart element -> {view, theme, width}
  const wanted = new Set();  // elements that are near the visible part
  let busy = 0;

  function report() {
    root.dataset.figuresDrawn = String(drawn.size);
    if (busy === 0 && isObserved) root.dataset.ready ??= String(Math.ceil(performance.now()));  // milliseconds
  }

  /// Draws a figure as it is shown now, or for paper.
  async function draw(chart, isForPaper) {
    const shown = Math.floor(chart.clientWidth);
    if (!charts || shown < 1) return;  // not shown
    const width = isForPaper ? kPaperWidth : shown;
    const look = {theme: isForPaper ? "light" : theme(), width};
    const before = drawn.get(chart);
    if (before && before.theme === look.theme && before.width === width) return;
    drawn.set(chart, look);
    delete root.dataset.ready;
    ++busy;
    try {
      const figure = json(chart.dataset.figure);
      const holder = made("div");
      look.view = await charts.draw(holder, template(figure.kind), figure, look.theme, width, showTip);
      if (drawn.get(chart) !== look) {  // another one has been wanted meanwhile
        look.view.finalize();
        return;
      }
      before?.view?.finalize();
      if (walked?.chart === chart) leave();
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
    for (const chart of wanted) draw(chart);
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

  // --- figures by keyboard: arrows go from mark to mark, Escape leaves ---
  const kSteps = {
    ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -Infinity, End: Infinity,
  };
  const hint = made("p", "unseen", "Arrow keys, Page Up, Page Down, Home and End go from mark to mark and say what each " +
                                   "is. Escape leaves. The same data stands below as tables.");
  hint.id = "figure-keys";
  const heard = made("div", "unseen");  // for readers of the screen
  heard.setAttribute("aria-live", "polite");
  document.body.append(hint, heard);
  const frame = made("div", "at-mark");
  let walked = null;  // {chart, place, mark}

  /// What is drawn and says what it is: each row of data once, in the order in which it is drawn.
  function marksOf(view) {
    const seen = new Set();
    const marks = [];
    const visit = (mark) => {
      for (const item of mark.items) {
        if (mark.marktype === "group") item.items.forEach(visit);
        const isSilent = item.tooltip === undefined || item.tooltip === null || item.tooltip === "";
        if (isSilent || !item._svg || seen.has(item.datum)) continue;
        seen.add(item.datum);
        marks.push({text: String(item.tooltip), element: item._svg});
      }
    };
    visit(view.scenegraph().root);
    return marks;
  }

  function showWalked() {
    const box = walked.mark.element.getBoundingClientRect();
    const origin = walked.chart.getBoundingClientRect();
    frame.style.left = `${box.left - origin.left - 3}px`;
    frame.style.top = `${box.top - origin.top - 3}px`;
    frame.style.width = `${box.width + 6}px`;
    frame.style.height = `${box.height + 6}px`;
    showTip(walked.mark.text, {clientX: box.left + box.width / 2, clientY: box.top + box.height / 2});
  }

  function leave() {
    if (!walked) return;
    walked = null;
    frame.remove();
    heard.textContent = "";
    showTip(null);
  }

  function walk(event) {
    const chart = event.currentTarget;
    const step = kSteps[event.key];
    const view = drawn.get(chart)?.view;
    if (step === undefined || !view || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    const marks = marksOf(view);
    if (marks.length === 0) return;
    const before = walked?.chart === chart ? walked.place : step > 0 ? -1 : marks.length;
    const place = Math.min(Math.max(before + step, 0), marks.length - 1);
    walked = {chart, place, mark: marks[place]};
    chart.append(frame);
    showWalked();
    frame.scrollIntoView({block: "nearest", behavior: "instant"});
    showWalked();
    heard.textContent = `${place + 1} of ${marks.length}: ${marks[place].text}`;
  }

  for (const chart of all) {
    chart.tabIndex = 0;
    chart.setAttribute("role", "application");  // or screen readers keep the arrow keys to themselves
    chart.setAttribute("aria-roledescription", "figure");
    chart.setAttribute("aria-describedby", hint.id);
    chart.addEventListener("keydown", walk);
    chart.addEventListener("blur", leave);
  }

  // --- figures as tables: made of the figure's data when a reader asks ---
  const kMostRows = 200;

  function dataCell(value, isNumber) {
    const text = value === null ? "-" : value === true ? "yes" : value === false ? "no" : String(value);
    const cell = made("td", isNumber ? "n" : "", text);
    if (isNumber && value !== null) cell.dataset.value = text;
    return cell;
  }

  function dataTable(name, {columns, rows}) {
    const scroller = made("div", "scroller tall");
    const table = made("table");
    const count = rows.length === 1 ? "one row" : `all ${rows.length} rows`;
    const part = rows.length > kMostRows ? `the first ${kMostRows} of ${rows.length} rows` : count;
    table.append(made("caption", "", `${name}: ${part}`));
    const isNumber = columns.map((_, i) => rows.every((row) => row[i] === null || typeof row[i] === "number"));
    const heads = table.createTHead().insertRow();
    columns.forEach((column, i) => {
      const head = made("th", isNumber[i] ? "n" : "", column === "about" ? "what it is" : column.replaceAll("_", " "));
      head.scope = "col";
      heads.append(head);
    });
    const body = table.createTBody();
    for (const row of rows.slice(0, kMostRows)) {
      body.insertRow().append(...row.map((value, i) => dataCell(value, isNumber[i])));
    }
    makeSortable(table);
    scroller.append(table);
    return scroller;
  }

  for (const chart of all) {
    const details = made("details", "data");
    details.append(made("summary", "", "Data of this figure"));
    details.addEventListener("toggle", () => {
      if (!details.open || details.children.length > 1) return;
      const tables = Object.entries(json(chart.dataset.figure).tables);
      // Outlines of cells are no numbers for people: the table beside them says what they show.
      const told = tables.filter(([, table]) => table.rows.length > 0 && !table.columns.includes("path"));
      details.append(...told.map(([name, table]) => dataTable(name, table)));
      markScrollers();
    });
    chart.closest("figure").append(details);
  }

  // --- what a link leads to is opened ---
  function openTarget(behavior = "auto") {
    let id = location.hash.slice(1);
    try {
      id = decodeURIComponent(id);
    } catch {
      // not as a browser would have written it: taken as it is
    }
    const target = id && document.getElementById(id);
    if (!target) return;
    for (let element = target; element; element = element.parentElement) {
      if (element.tagName === "DETAILS") element.open = true;
    }
    target.scrollIntoView({behavior});
  }
  addEventListener("hashchange", () => openTarget());
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.('a[href^="#"]');
    if (link && link.hash === location.hash) openTarget();  // no change, but it may have been closed since
  });
  let toggled = 0;
  document.addEventListener("toggle", () => {
    cancelAnimationFrame(toggled);
    toggled = requestAnimationFrame(markScrollers);
  }, true);

  // --- a printer gets everything: closed parts, figures that were not in view; of data tables those that are open ---
  let closed = [];
  addEventListener("beforeprint", () => {
    leave();
    closed = [...document.querySelectorAll("details:not([open]):not(.data)")];
    for (const details of closed) details.open = true;
    for (const chart of all) draw(chart, true);
  });
  addEventListener("afterprint", () => {
    for (const details of closed) details.open = false;
    redraw();
  });

  markScrollers();
  openTarget("instant");
  report();
})();
