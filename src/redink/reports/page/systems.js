"use strict";
// Which systems the page shows: one choice for every table, chart and sentence.
(() => {
  const { systems } = JSON.parse(document.getElementById("data").textContent);
  const box = document.getElementById("shown");
  if (systems.length < 2) return;
  const STEPS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5];
  const [MOST, LINE] = [8, 22];

  // Tables: a row that a system names, or the column below its name.
  function sift(table, hidden) {
    const heads = [...table.tHead.rows[0].cells];
    const named = heads[0].textContent.trim() === "system";
    const away = heads.map((head, place) => place > 0 && hidden.has(head.textContent.trim()));
    for (const row of table.rows) {
      row.hidden = named && row.parentNode !== table.tHead && hidden.has(row.cells[0].textContent.trim());
      [...row.cells].forEach((cell, place) => { cell.hidden = away[place]; });
    }
  }

  // Charts of a line a system: the lines move up, and the scale fits those that are left.
  const all = (node, selector) => [...node.querySelectorAll(selector)];
  const get = (node, name) => Number(node.getAttribute(name));
  const set = (node, values) => Object.entries(values).forEach(([name, value]) => node.setAttribute(name, value));
  function remember(svg) {
    const [start, end] = svg.dataset.ends.split(" ").map(Number);
    const lines = all(svg, ".grid").map((line) => get(line, "x1"));
    const [left, right] = [lines[0], lines[lines.length - 1]];
    const value = (x) => start + ((x - left) / (right - left)) * (end - start);
    const label = svg.querySelector(".label");
    return { left, right, label, top: get(svg.querySelector(".grid"), "y1"), bottom: get(svg.querySelector(".grid"), "y2"),
      width: svg.viewBox.baseVal.width, height: svg.viewBox.baseVal.height, below: get(label, "y"),
      lines: all(svg, "g[data-system]").map((node) => ({ node, name: node.dataset.system,
        dots: all(node, "circle").map((dot) => [dot, value(get(dot, "cx"))]),
        spans: all(node, ".interval").map((line) => [line, value(get(line, "x1")), value(get(line, "x2"))]) })) };
  }
  function fit(low, high) {
    for (const step of STEPS) {
      const [start, end] = [Math.floor(low / step + 1e-6) * step, Math.ceil(high / step - 1e-6) * step];
      if (Math.round((end - start) / step) <= MOST || step === STEPS[STEPS.length - 1]) return [start, end > start ? end : start + step, step];
    }
    return null;
  }
  function draw(svg, plan, [start, end, step], hidden) {
    const at = (value) => (plan.left + ((value - start) / (end - start)) * (plan.right - plan.left)).toFixed(1);
    let away = 0;
    for (const { node, name, dots, spans } of plan.lines) {
      const gone = hidden.has(name);
      set(node, { transform: `translate(0 ${-LINE * away})`, visibility: gone ? "hidden" : "visible" });
      away += gone ? 1 : 0;
      for (const [dot, value] of dots) set(dot, { cx: at(value) });
      for (const [line, one, two] of spans) set(line, { x1: at(one), x2: at(two) });
    }
    const bottom = plan.bottom - LINE * away;
    const axis = svg.querySelector(".axis");
    const [line, tick] = [axis.querySelector(".grid"), axis.querySelector(".tick")];
    const marks = Array.from({ length: Math.round((end - start) / step) + 1 }, (_, place) => start + place * step);
    axis.replaceChildren(...marks.flatMap((value) => {
      const made = [line.cloneNode(), tick.cloneNode()];
      set(made[0], { x1: at(value), x2: at(value), y2: bottom });
      set(made[1], { x: at(value), y: bottom + 15 });
      made[1].textContent = (100 * value).toFixed(0).replace("-", "\u2212");
      return made;
    }));
    set(plan.label, { y: plan.below - LINE * away });
    set(svg, { viewBox: `0 0 ${plan.width} ${plan.height - LINE * away}` });
  }
  const plans = new Map();
  function arrange(charts, hidden) {
    const several = charts.length > 1;
    for (const svg of charts) if (!plans.has(svg)) plans.set(svg, remember(svg));
    const values = charts.flatMap((svg) => plans.get(svg).lines).filter(({ name }) => !hidden.has(name))
      .flatMap(({ dots, spans }) => [...dots.map(([, value]) => value), ...spans.flatMap(([, one, two]) => [one, two])]);
    if (!values.length) values.push(0, 1);
    const scale = fit(Math.min(...values, ...(several ? [0] : [])), Math.max(...values));
    for (const svg of charts) draw(svg, plans.get(svg), scale, hidden);
  }

  const boxes = systems.map((name) => {
    const input = Object.assign(document.createElement("input"), { type: "checkbox", value: name });
    const label = document.createElement("label");
    label.append(input, name);
    return [input, label];
  });
  const button = (text, checked) => {
    const node = Object.assign(document.createElement("button"), { type: "button", textContent: text });
    node.addEventListener("click", () => { for (const [input] of boxes) input.checked = checked; show(); });
    return node;
  };
  const summary = box.querySelector("summary");
  function show() {
    const hidden = new Set(boxes.filter(([input]) => !input.checked).map(([input]) => input.value));
    summary.textContent = hidden.size ? `Systems: ${systems.length - hidden.size} of ${systems.length}` : `Systems: all ${systems.length}`;
    for (const table of document.querySelectorAll("table.sortable")) sift(table, hidden);
    for (const group of document.querySelectorAll(".charts")) {
      const charts = all(group, "svg.lines");
      if (charts.length) arrange(charts, hidden);
      for (const mark of all(group, ".scatter [data-system]")) mark.setAttribute("visibility", hidden.has(mark.dataset.system) ? "hidden" : "visible");
    }
    document.dispatchEvent(new CustomEvent("systems", { detail: [...hidden] }));
  }
  box.querySelector("fieldset").append(...boxes.map(([, label]) => label), button("All", true), button("None", false));
  box.hidden = false;
  const away = new URLSearchParams(location.search).getAll("hide");
  for (const [input] of boxes) {
    input.checked = !away.includes(input.value);
    input.addEventListener("change", show);
  }
  summary.textContent = `Systems: all ${systems.length}`;
  if (boxes.some(([input]) => !input.checked)) { box.open = true; show(); }
})();
