"use strict";
(() => {
  // Tables: a click on a heading sorts by it, numbers as numbers.
  for (const table of document.querySelectorAll("table.sortable")) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => head.querySelector("button").addEventListener("click", () => {
      const descending = head.getAttribute("aria-sort") !== "descending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", descending ? "descending" : "ascending");
      const key = (row) => {
        const cell = row.cells[column];
        return cell.dataset.value === undefined ? cell.textContent : Number(cell.dataset.value);
      };
      const rank = (value) => (typeof value === "number" ? 1 : 0);
      const rows = [...table.tBodies[0].rows].sort((a, b) => {
        const [x, y] = [key(a), key(b)];
        if (rank(x) !== rank(y)) return rank(y) - rank(x);
        const order = typeof x === "number" ? x - y : x.localeCompare(y);
        return descending ? -order : order;
      });
      table.tBodies[0].append(...rows);
    }));
  }

  const data = JSON.parse(document.getElementById("data").textContent);
  const find = (id) => document.getElementById(id);
  const [words, system, type, verdict, list, count] =
    ["words", "system", "type", "verdict", "list", "count"].map(find);
  const PAGE = 10;
  let page = 0;
  let shown = [];

  const fill = (select, all, options) => {
    select.append(new Option(all, ""), ...options.map(([text, value]) => new Option(text, value)));
  };
  fill(system, "all", data.systems.map((name, index) => [name, index]));
  fill(type, "all", data.types.map((name, index) => [name, index])
    .sort((a, b) => a[0].localeCompare(b[0])));
  fill(verdict, "all", data.verdicts.map((name, index) => [name, index]));

  const texts = data.sentences.map(([source, references, systems]) => {
    const corrections = [...Object.values(references), ...systems].flat().map((edit) => edit[2]);
    return `${source} ${corrections.join(" ")}`.toLowerCase();
  });

  // A sentence stays if its words match and one edit of a chosen system has type and verdict.
  function matches(index) {
    const wanted = words.value.trim().toLowerCase();
    if (wanted && !texts[index].includes(wanted)) return false;
    if (!system.value && !type.value && !verdict.value) return true;
    const systems = data.sentences[index][2];
    const chosen = system.value ? [systems[system.value]] : systems;
    return chosen.some((edits) => edits.some((edit) =>
      (!type.value || edit[3] === Number(type.value)) &&
      (!verdict.value || edit[4] === Number(verdict.value))));
  }

  const element = (name, className, ...children) => {
    const node = document.createElement(name);
    if (className) node.className = className;
    node.append(...children);
    return node;
  };

  // The tokens with each edit in its place: what it removes struck through, what it adds after it.
  function sentence(tokens, edits, classOf) {
    const line = element("span");
    let at = 0;
    const ordered = [...edits].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    for (const edit of ordered) {
      const [start, end, correction, kind] = edit;
      if (start > at) line.append(tokens.slice(at, start).join(" "), " ");
      const mark = element("span", classOf(edit));
      const old = tokens.slice(Math.max(start, at), end).join(" ") || (end > start ? tokens.slice(start, end).join(" ") : "");
      if (old) mark.append(element("s", "", old));
      if (correction) mark.append(old ? " " : "", correction);
      mark.append(element("sub", "", data.types[kind]));
      line.append(mark, " ");
      at = Math.max(at, end);
    }
    line.append(tokens.slice(at).join(" "));
    return line;
  }

  const CLASSES = ["tp", "fp", "fn"];
  function card(index) {
    const [source, references, systems] = data.sentences[index];
    const tokens = source.split(" ");
    const node = element("li", "", element("p", "source", element("small", "", `${index + 1}`), source));
    const reading = (name, line) => node.append(element("div", "reading", element("b", "", name), line));
    for (const [annotator, edits] of Object.entries(references)) {
      reading(`annotator ${data.annotators[annotator]}`,
        edits.length ? sentence(tokens, edits, () => "gold") : element("i", "", "no change"));
    }
    systems.forEach((edits, number) => {
      if (system.value && Number(system.value) !== number) return;
      reading(data.systems[number],
        edits.length ? sentence(tokens, edits, (edit) => CLASSES[edit[4]]) : element("i", "", "no change"));
    });
    return node;
  }

  function show() {
    const pages = Math.max(1, Math.ceil(shown.length / PAGE));
    page = Math.min(Math.max(page, 0), pages - 1);
    list.replaceChildren(...shown.slice(page * PAGE, (page + 1) * PAGE).map(card));
    count.textContent = `${shown.length} of ${data.sentences.length} sentences, page ${page + 1} of ${pages}`;
    find("previous").disabled = page === 0;
    find("next").disabled = page === pages - 1;
  }

  function filter() {
    shown = data.sentences.map((_, index) => index).filter(matches);
    page = 0;
    show();
  }

  const turn = (by) => { page += by; show(); };
  find("previous").addEventListener("click", () => turn(-1));
  find("next").addEventListener("click", () => turn(1));
  for (const control of [words, system, type, verdict]) control.addEventListener("input", filter);
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.matches("input, select")) return;
    if (event.key === "n" || event.key === "ArrowRight") turn(1);
    else if (event.key === "p" || event.key === "ArrowLeft") turn(-1);
    else if (event.key === "/") { event.preventDefault(); words.focus(); }
  });
  filter();
})();
