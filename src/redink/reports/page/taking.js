"use strict";
// What a reader takes along: a table as LaTeX, Markdown or CSV, a chart as SVG or PNG; each as it is shown.
(() => {
  const seen = (nodes) => [...nodes].filter((node) => !node.hidden && !node.classList.contains("bars"));
  const plain = (cell) => cell.textContent.trim();
  function read(table) {
    const heads = seen(table.tHead.rows[0].cells);
    return { heads, left: heads.map((head) => head.classList.contains("text")), rows: seen(table.tBodies[0].rows).map((row) => seen(row.cells)) };
  }
  const SPECIAL = { "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}", "\u2212": "$-$", "\u2013": "--" };
  const latex = (text) => text.replace(/[\\~^\u2212\u2013]|[&%$#_{}]/g, (sign) => SPECIAL[sign] || `\\${sign}`).replace(/^F([0-9.]+)$/, "F$_{$1}$");
  const markdown = (text) => text.replace(/[\\`*|]/g, "\\$&");
  const quoted = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const best = (cell) => cell.querySelector("strong") !== null;
  const FORMS = {
    LaTeX: ({ heads, left, rows }) => [
      "% needs \\usepackage{booktabs}", `\\begin{tabular}{${left.map((is) => (is ? "l" : "r")).join("")}}`, "\\toprule",
      `${heads.map((head) => latex(plain(head))).join(" & ")} \\\\`, "\\midrule",
      ...rows.map((row) => `${row.map((cell) => (best(cell) ? `\\textbf{${latex(plain(cell))}}` : latex(plain(cell)))).join(" & ")} \\\\`),
      "\\bottomrule", "\\end{tabular}"],
    Markdown: ({ heads, left, rows }) => [
      `| ${heads.map((head) => markdown(plain(head))).join(" | ")} |`, `|${left.map((is) => (is ? ":---" : "---:")).join("|")}|`,
      ...rows.map((row) => `| ${row.map((cell) => (best(cell) ? `**${markdown(plain(cell))}**` : markdown(plain(cell)))).join(" | ")} |`)],
    CSV: ({ heads, rows }) => [heads.map((head) => quoted(plain(head))).join(","),
      ...rows.map((row) => row.map((cell) => cell.dataset.value ?? quoted(plain(cell) === "\u2013" ? "" : plain(cell))).join(","))],
  };
  async function copy(text) {
    try {
      await navigator.clipboard.writeText(text);
    } catch {  // where a page may not, the selection of a text field still can be copied
      const field = document.body.appendChild(Object.assign(document.createElement("textarea"), { value: text }));
      field.select();
      document.execCommand("copy");
      field.remove();
    }
  }

  // A drawing by itself: what the page says of its looks is written into it, on the colour of the page.
  const LOOK = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "opacity", "font-family", "font-size", "font-weight", "paint-order"];
  function alone(svg) {
    const made = svg.cloneNode(true);
    const [ours, theirs] = [svg, made].map((node) => [node, ...node.querySelectorAll("*")]);
    ours.forEach((node, place) => {
      const look = getComputedStyle(node);
      for (const name of LOOK) theirs[place].style.setProperty(name, look.getPropertyValue(name));
    });
    const { width, height } = svg.viewBox.baseVal;
    made.removeAttribute("class");
    for (const [name, value] of [["width", width], ["height", height]]) made.setAttribute(name, value);
    const paper = document.createElementNS(svg.namespaceURI, "rect");
    for (const [name, value] of [["width", width], ["height", height], ["fill", getComputedStyle(document.body).backgroundColor]]) paper.setAttribute(name, value);
    made.prepend(paper);
    for (const gone of made.querySelectorAll('[visibility="hidden"]')) gone.remove();
    return [new XMLSerializer().serializeToString(made), width, height];
  }
  function save(blob, name) {
    const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }
  const SHARP = 3;
  const DRAWINGS = {
    SVG: (svg, name) => save(new Blob([alone(svg)[0]], { type: "image/svg+xml" }), `${name}.svg`),
    PNG: async (svg, name) => {
      const [text, width, height] = alone(svg);
      const picture = new Image();
      picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
      await picture.decode();
      const canvas = Object.assign(document.createElement("canvas"), { width: SHARP * width, height: SHARP * height });
      canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
      canvas.toBlob((blob) => save(blob, `${name}.png`));
    },
  };

  const bar = (said, name, doings) => {
    const node = document.createElement("p");
    node.className = "take";
    node.append(said);
    for (const [form, act] of doings) {
      const button = Object.assign(document.createElement("button"), { type: "button", textContent: form });
      button.setAttribute("aria-label", `${said} ${name} ${said === "Copy" ? "as" : "as a file:"} ${form}`);
      button.addEventListener("click", async () => {
        await act();
        button.textContent = said === "Copy" ? "copied" : "saved";
        setTimeout(() => { button.textContent = form; }, 1500);
      });
      node.append(" ", button);
    }
    return node;
  };
  for (const place of document.querySelectorAll(".scroll[data-name]")) {
    const doings = Object.entries(FORMS).map(([form, write]) => [form, () => copy(`${write(read(place.querySelector("table"))).join("\n")}\n`)]);
    place.after(bar("Copy", place.getAttribute("aria-label"), doings));
  }
  for (const figure of document.querySelectorAll("figure[data-name]")) {
    const svg = figure.querySelector("svg");
    figure.append(bar("Save", svg.getAttribute("aria-label"), Object.entries(DRAWINGS).map(([form, write]) => [form, () => write(svg, figure.dataset.name)])));
  }
})();
