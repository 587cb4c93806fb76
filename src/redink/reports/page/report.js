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

  // Tables that continue to the right fade out there.
  const showMore = (table) =>
    table.classList.toggle("more", table.scrollLeft + table.clientWidth < table.scrollWidth - 2);
  const tables = [...document.querySelectorAll(".scroll")];
  const sizes = new ResizeObserver((changes) => changes.forEach(({ target }) => showMore(target)));
  for (const table of tables) {
    table.addEventListener("scroll", () => showMore(table), { passive: true });
    sizes.observe(table);
  }

  const data = JSON.parse(document.getElementById("data").textContent);
  const find = (id) => document.getElementById(id);
  const [list, count] = ["list", "count"].map(find);
  const NAMES = ["words", "system", "type", "verdict", "other", "which"];
  const controls = NAMES.map(find);
  const START = "#sentences";
  const PAGE = 10;
  const OPERATIONS = { "M:": "missing", "R:": "replacement", "U:": "unnecessary" };
  let page = 0;
  let pages = 1;

  // "R:VERB:SVA" is itself, "VERB:SVA" under any operation, and one of "R:".
  const bare = (name) => (/^[MRU]:/.test(name) ? name.slice(2) : name);
  const fits = (name, wanted) =>
    (wanted in OPERATIONS ? name.startsWith(wanted) : name === wanted || bare(name) === wanted);

  function fill() {
    const option = (text, value = text) => new Option(text, value);
    const group = (label, options) => {
      const node = document.createElement("optgroup");
      node.label = label;
      node.append(...options);
      return node;
    };
    const [, system, type, verdict, other] = controls;
    const sorted = [...data.types].sort((a, b) => a.localeCompare(b));
    const main = [...new Set(sorted.map(bare))].sort((a, b) => a.localeCompare(b));
    const operations = Object.entries(OPERATIONS)
      .filter(([start]) => sorted.some((name) => name.startsWith(start)));
    system.append(option("all", ""), ...data.systems.map((name) => option(name)));
    other.append(option("–", ""), ...data.systems.map((name) => option(name)));
    verdict.append(option("all", ""), ...data.verdicts.map((name) => option(name)));
    type.append(option("all", ""));
    if (operations.length) {
      const full = sorted.filter((name) => bare(name) !== name);
      type.append(
        group("Operation", operations.map(([start, name]) => option(name, start))),
        group("Type", main.map((name) => option(name))),
        group("Type with operation", full.map((name) => option(name))));
    } else type.append(...sorted.map((name) => option(name)));
  }

  // What is chosen for the whole page stands in the address, before the filter of the sentences.
  function address(name, values) {
    const place = new URL(location.href);
    place.searchParams.delete(name);
    for (const value of values) place.searchParams.append(name, value);
    history.replaceState(null, "", place);
  }
  let unseen = [];
  document.addEventListener("systems", (event) => { unseen = event.detail; address("hide", unseen); show(); });

  // The leaderboard by another metric, with what the top of the page says of it; kept for next time.
  const metric = find("metric");
  const KEPT = "redink.metric";
  function rankBy(name) {
    for (const view of document.querySelectorAll("[data-view]")) view.hidden = view.dataset.view !== name;
  }
  if (metric) {
    const known = () => { try { return localStorage.getItem(KEPT); } catch { return null; } };
    const keep = (name) => { try { localStorage.setItem(KEPT, name); } catch { /* a private window keeps nothing */ } };
    const last = new URLSearchParams(location.search).get("metric") || known();
    if ([...metric.options].some((one) => one.value === last)) metric.value = last;
    metric.addEventListener("change", () => { rankBy(metric.value); keep(metric.value); address("metric", [metric.value]); });
    rankBy(metric.value);
  }

  // Two systems, type by type: a bar to the side of the one that is better.
  const shape = (name, attributes) => {
    const node = document.createElementNS(document.querySelector("svg").namespaceURI, name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    return node;
  };
  const percent = (value) => (100 * value).toFixed(1).replace("-", "\u2212");
  const signed = (value) => (value > 0 ? "+" : "") + percent(value);
  function compareTypes() {
    const { systems, rows, intervals } = data.differences;
    const [first, second] = ["first", "second"].map((id) => find(id).selectedIndex);
    const least = Number(find("least").value);
    const turned = first > second;
    const ends = intervals[turned ? `${second},${first}` : `${first},${second}`] || [];
    const shown = rows.map((row, place) => {
      const [one, other] = [row.f[first], row.f[second]];
      const known = ends[place];
      const [low, high] = !known ? [null, null] : turned ? [-known[1], -known[0]] : known;
      return { ...row, one, other, low, high, gap: one === null || other === null ? null : one - other };
    }).filter((row, place) => row.gap !== null && (!place || row.gold >= least));
    const [all, ...types] = shown;
    types.sort((a, b) => b.gap - a.gap || b.gold - a.gold);
    const widest = Math.max(0.05, ...shown.flatMap((row) => [row.gap, row.low, row.high].map(Math.abs)));
    const at = (value) => 50 + (48 * value) / widest;
    const bar = ({ gap, low, high }) => {
      const sure = low === null || low > 0 || high < 0;
      const svg = shape("svg", { viewBox: "0 0 100 12", preserveAspectRatio: "none", "aria-hidden": "true", class: "bar" });
      svg.append(
        shape("rect", { class: `${gap < 0 ? "less" : "more"}${sure ? "" : " unsure"}`, x: Math.min(50, at(gap)), width: Math.abs(at(gap) - 50), y: 1.5, height: 9 }),
        shape("line", { class: "zero", x1: 50, x2: 50, y1: 0, y2: 12 }));
      if (low !== null) svg.append(shape("line", { class: "ends", x1: at(low), x2: at(high), y1: 6, y2: 6 }));
      return svg;
    };
    const head = (text, kind) => { const cell = element("th", kind, text); cell.scope = "col"; return cell; };
    const table = element("table", "pair");
    const top = table.createTHead().insertRow();
    top.append(head("type", "text"), head("difference"), head(`\u25c2 ${systems[second]} better \u00b7 ${systems[first]} better \u25b8`, "bars"),
      head("gold"), head(systems[first]), head(systems[second]), head("95 % interval"));
    const body = table.createTBody();
    for (const row of all ? [all, ...types] : types) {
      const name = element("th", "text");
      name.scope = "row";
      const link = element("a", "", row.type);
      link.href = `${START}?${query({ system: systems[first], other: systems[second], type: row === all ? "" : row.type })}`;
      name.append(link);
      const figure = (text, title) => { const cell = element("td", "", text); if (title) cell.title = title; return cell; };
      body.append(element("tr", row === all ? "all" : "", name, figure(signed(row.gap)), element("td", "bars", bar(row)),
        figure(String(row.gold)), figure(percent(row.one), row.counts[first]), figure(percent(row.other), row.counts[second]),
        figure(row.low === null ? "\u2013" : `${signed(row.low)} to ${signed(row.high)}`)));
    }
    find("pair").replaceChildren(table);
  }
  const PAIR = "#differences";
  function recallPair() {
    if (!data.differences || !location.hash.startsWith(`${PAIR}?`)) return;
    const given = new URLSearchParams(location.hash.slice(PAIR.length + 1));
    for (const id of ["first", "second", "least"]) {
      if ([...find(id).options].some((one) => one.value === given.get(id))) find(id).value = given.get(id);
    }
    compareTypes();
    find("differences").scrollIntoView();
  }
  function startPairs() {
    const ids = ["first", "second", "least"];
    ids.slice(0, 2).forEach((id, place) => {
      find(id).append(...data.differences.systems.map((name) => new Option(name)));
      find(id).selectedIndex = place;
    });
    const changed = () => {
      history.replaceState(null, "", `${PAIR}?${query(Object.fromEntries(ids.map((id) => [id, find(id).value])))}`);
      compareTypes();
    };
    for (const id of ids) find(id).addEventListener("change", changed);
    find("swap").addEventListener("click", () => {
      [find("first").value, find("second").value] = [find("second").value, find("first").value];
      changed();
    });
    compareTypes();
    recallPair();
    window.addEventListener("hashchange", recallPair);
  }

  // Where sentences come from: the page itself, or the server that sent it. Both are asked alike.
  function embedded() {
    const texts = data.sentences.map(([source, references, systems]) => {
      const corrections = [...Object.values(references), ...systems].flat().map((edit) => edit[2]);
      return [source, ...corrections].join("\n").toLowerCase();
    });
    return (wanted, from) => {
      const words = wanted.words.toLowerCase().split(/\s+/).filter(Boolean).join(" ");
      const types = new Set(data.types.map((_, index) => index)
        .filter((index) => !wanted.type || fits(data.types[index], wanted.type)));
      const verdict = data.verdicts.indexOf(wanted.verdict);
      const passes = (edit) => types.has(edit[3]) && (!wanted.verdict || edit[4] === verdict);
      const [right, missed] = ["TP", "FN"].map((name) => data.verdicts.indexOf(name));
      const nobody = (systems) => systems.some((edits) => edits.some((edit) => edit[4] === missed)) &&
        !systems.some((edits) => edits.some((edit) => edit[4] === right));
      const changes = (edits) => JSON.stringify([...new Set((edits || []).filter((edit) => edit[4] !== missed)
        .map((edit) => JSON.stringify(edit.slice(0, 3))))].sort());
      const [one, two] = [wanted.system, wanted.other].map((name) => data.systems.indexOf(name));
      const pair = wanted.system && wanted.other;
      // A sentence stays if its words match and one edit of a chosen system has type and verdict.
      const found = [];
      data.sentences.forEach(([, , systems], number) => {
        if (words && !texts[number].includes(words)) return;
        if (wanted.which === "nobody" && !nobody(systems)) return;
        if (pair && changes(systems[one]) === changes(systems[two])) return;
        const chosen = wanted.system ? [systems[data.systems.indexOf(wanted.system)] || []] : systems;
        if (pair) chosen.push(systems[two] || []);
        const asks = (wanted.system && !pair) || wanted.type || wanted.verdict;
        if (!asks || chosen.some((edits) => edits.some(passes))) found.push(number);
      });
      if (pair) {
        const lead = (edits) => (edits || []).reduce((sum, edit) => sum + (edit[4] === right) - (edit[4] !== right && edit[4] !== missed), 0);
        const ahead = (number) => lead(data.sentences[number][2][one]) - lead(data.sentences[number][2][two]);
        found.sort((a, b) => ahead(b) - ahead(a));
      }
      const last = Math.max(0, Math.ceil(found.length / PAGE) - 1);
      const at = Math.min(from, last);
      const shown = found.slice(at * PAGE, (at + 1) * PAGE);
      return Promise.resolve({
        found: found.length, page: at, sentences: shown.map((number) => [number, data.sentences[number]]),
      });
    };
  }
  const query = (wanted, more = {}) => new URLSearchParams(
    Object.entries({ ...wanted, ...more }).filter(([, value]) => value !== "" && value !== 0));
  const served = async (wanted, from) => {
    const answer = await fetch(`${data.address}?${query(wanted, { page: from, size: PAGE })}`);
    if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
    return answer.json();
  };
  const ask = data.sentences ? embedded() : served;

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
  function card(number, [source, references, systems], chosen) {
    const tokens = source.split(" ");
    const node = element("li", "", element("p", "source", element("small", "", `${number + 1}`), source));
    const reading = (name, line, names = [name]) => {
      const label = element("b", "", name);
      label.title = name;
      node.append(element("div", names.length > 2 ? "reading many" : "reading", label, line));
    };
    for (const [annotator, edits] of Object.entries(references)) {
      reading(`annotator ${data.annotators[annotator]}`,
        edits.length ? sentence(tokens, edits, () => "gold") : element("i", "", "no change"));
    }
    // Systems that did and missed the same share a line: it says as much and leaves room.
    const alike = new Map();
    systems.forEach((edits, index) => {
      const name = data.systems[index];
      if (chosen.length ? !chosen.includes(name) : unseen.includes(name)) return;
      const key = edits.length ? JSON.stringify(edits) : "";
      if (!alike.has(key)) alike.set(key, [edits, []]);
      alike.get(key)[1].push(name);
    });
    const [idle, ...busy] = [alike.get("") || [[], []], ...[...alike].filter(([key]) => key).map(([, group]) => group)];
    for (const [edits, names] of busy) {
      reading(names.join(", "), sentence(tokens, edits, (edit) => CLASSES[edit[4]]), names);
    }
    if (idle[1].length) reading("no change", element("i", "", idle[1].join(", ")));
    return node;
  }

  // A document as written, with the edits of one reader at their places.
  const offsetsOf = ([, offsets]) => (token, last) =>
    (token * 2 < offsets.length ? offsets[token * 2 + (last ? 1 : 0)] : offsets[offsets.length - 1] || 0);
  function essay(text, sentences, edits, classOf) {
    const marks = [];
    sentences.forEach((place, index) => {
      const at = offsetsOf(place);
      for (const edit of edits(index)) {
        const [start, end, correction, kind] = edit;
        const from = at(start, false);
        marks.push([from, end > start ? at(end - 1, true) : from, correction, kind, classOf(edit)]);
      }
    });
    marks.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    const parts = [];
    let reached = 0;
    for (const [start, end, correction, kind, name] of marks) {
      if (start > reached) parts.push(text.slice(reached, start));
      const mark = element("span", name);
      const old = text.slice(Math.max(start, Math.min(reached, end)), end) || text.slice(start, end);
      if (old) mark.append(element("s", "", old));
      if (correction) mark.append(old ? " " : "", correction);
      mark.append(element("sub", "", data.types[kind]));
      parts.push(mark);
      if (end === start) parts.push(" ");
      reached = Math.max(reached, end);
    }
    parts.push(text.slice(reached));
    return parts;
  }
  const written = data.documents.length ? find("essay") : null;
  async function fetchDocument(place) {
    if (data.texts) {
      const [text, sentences] = data.texts[place];
      return [text, sentences, sentences.map(([number]) => data.sentences[number])];
    }
    const answer = await fetch(`documents/${place}`);
    if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
    return answer.json();
  }
  let asked = 0;
  async function showDocument() {
    const mine = ++asked;
    const [place, reader] = [find("document").selectedIndex, find("reader").value];
    const [kind, index] = [reader[0], Number(reader.slice(1))];
    try {
      const [text, sentences, contents] = await fetchDocument(place);
      if (mine !== asked) return;  // another one was chosen meanwhile
      const edits = (at) => (kind === "s" ? contents[at][2][index] : contents[at][1][index] || []);
      written.replaceChildren(...essay(text, sentences, edits, kind === "s" ? (edit) => CLASSES[edit[4]] : () => "gold"));
    } catch (error) {
      if (mine === asked) written.textContent = `No answer: ${error.message}. Is redink still running?`;
    }
  }
  if (written) {
    find("document").append(...data.documents.map((name) => new Option(name)));
    find("reader").append(
      ...data.systems.map((name, index) => new Option(name, `s${index}`)),
      ...data.annotators.map((name, index) => new Option(`annotator ${name}`, `a${index}`)));
    for (const name of ["document", "reader"]) find(name).addEventListener("change", showDocument);
    showDocument();
  }

  const wanted = () => Object.fromEntries(NAMES.map((name, place) => [name, controls[place].value]));
  const number = new Intl.NumberFormat("en");
  let latest = 0;
  async function show() {
    const mine = ++latest;
    const filter = wanted();
    let answer;
    try {
      answer = await ask(filter, page);
    } catch (error) {
      if (mine === latest) count.textContent = `No answer: ${error.message}. Is redink still running?`;
      return;
    }
    if (mine !== latest) return;  // a later question was asked meanwhile
    page = answer.page;
    pages = Math.max(1, Math.ceil(answer.found / PAGE));
    list.replaceChildren(...answer.sentences.map(([place, content]) => card(place, content, filter.system ? [filter.system, filter.other].filter(Boolean) : [])));
    if (!answer.found) list.append(element("li", "none", "No matching sentences."));
    count.textContent = `${number.format(answer.found)} of ${number.format(data.total)} sentences, ` +
      `page ${number.format(page + 1)} of ${number.format(pages)}` +
      (filter.system && filter.other ? `; where ${filter.system} is further ahead first` : "");
    find("previous").disabled = page === 0;
    find("next").disabled = page >= pages - 1;
    for (const link of document.querySelectorAll("a[data-download]")) {
      link.href = `${link.dataset.download}?${query(filter)}`;
    }
  }

  // The address holds the filter and the page, so that a view can be kept and sent.
  function remember(how) {
    const text = query(wanted(), { page: page ? page + 1 : "" }).toString();
    const hash = text ? `${START}?${text}` : START;
    if (hash !== location.hash) history[how](null, "", hash);
  }
  function recall() {
    // a link to another section leaves the filter alone; the bare address has none
    if (location.hash && !location.hash.startsWith(START)) return false;
    const given = new URLSearchParams(location.hash.slice(START.length + 1));
    controls.forEach((control, place) => {
      control.value = given.get(NAMES[place]) || "";
      if (control.selectedIndex === -1) control.value = "";
    });
    page = Math.max(0, Number(given.get("page") || 1) - 1) || 0;
    return location.hash !== "";
  }

  const turn = (by) => {
    const to = Math.min(Math.max(page + by, 0), pages - 1);
    if (to === page) return;
    page = to;
    remember("replaceState");
    show();
  };
  const change = (how) => { page = 0; remember(how); show(); };
  const clear = () => { for (const control of controls) control.value = ""; change("pushState"); };
  find("previous").addEventListener("click", () => turn(-1));
  find("next").addEventListener("click", () => turn(1));
  let timer;
  controls[0].addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => change("replaceState"), data.sentences ? 0 : 120);
  });
  for (const control of controls.slice(1)) control.addEventListener("change", () => change("pushState"));
  const form = document.querySelector("#sentences .filters");
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", (event) => { event.preventDefault(); clear(); });
  const arrive = () => {
    const leads = recall();
    if (leads || !location.hash) show();
    if (leads) find("sentences").scrollIntoView();
  };
  window.addEventListener("hashchange", arrive);
  // A figure of a table that stands for edits leads to their sentences.
  document.querySelector("main").addEventListener("click", (event) => {
    const cell = event.target.closest("td[data-show]");
    if (!cell || String(getSelection())) return;
    const hash = `${START}?${cell.dataset.show}`;
    if (location.hash === hash) arrive(); else location.hash = hash;
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.matches("input, select")) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    // inside a wide table the arrows move the table
    if (event.key.startsWith("Arrow") && event.target.matches(".scroll")) return;
    if (event.key === "n" || event.key === "ArrowRight") turn(1);
    else if (event.key === "p" || event.key === "ArrowLeft") turn(-1);
    else if (event.key === "c") clear();
    else if (event.key === "/") { event.preventDefault(); controls[0].focus(); }
  });
  fill();
  if (data.differences) startPairs();
  const kept = recall();
  show().then(() => { if (kept) find("sentences").scrollIntoView(); });
})();
