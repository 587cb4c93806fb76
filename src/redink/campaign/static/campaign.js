// Keyboard work, steps within a page, and safe sending. Without this script the page is a plain
// form and still works.
"use strict";
(() => {
  const form = document.getElementById("task");
  const back = document.getElementById("back");
  const help = document.getElementById("help");
  const saving = document.getElementById("saving");
  let dirty = false;
  let warned = false;

  const isText = (node) => Boolean(node.matches && node.matches("input[type=text], textarea, select"));

  function goBack(event) {
    // What was entered is not thrown away by one key or one tap.
    if (dirty && !warned && form) {
      warned = true;
      saving.textContent = form.dataset.unsaved;
      event.preventDefault();
      return;
    }
    event.preventDefault();
    location.assign(back.href);
  }
  if (back) back.addEventListener("click", goBack);

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const typing = isText(event.target);
    if (event.key === "?" && help && !typing) {
      help.open = !help.open;
      if (help.open) help.querySelector("summary").focus();
      event.preventDefault();
    } else if (event.key === "u" && back && !typing) {
      goBack(event);
    } else if (event.key === "Escape" && typing && form) {
      event.target.closest("fieldset")?.focus();
    } else if (event.key === "Enter" && form) {
      if (event.target.closest && event.target.closest("a, summary, button, select, #remarks textarea")) return;
      event.preventDefault();
      goOn(event.target);
    } else if (/^Arrow(Left|Right)$/.test(event.key) && event.target.closest(".words")) {
      moveAmongWords(event);
    } else if (form && event.key.length === 1 && event.key !== " ") {
      // In a text that may stay empty a number is still an answer to the next question.
      const skips = typing && /^[1-9]$/.test(event.key) && !event.target.value &&
        event.target.closest("fieldset[data-optional]") && hasNumbersAfter(event.target);
      if (typing && !skips) return;
      if (choose(event.key, Boolean(skips))) event.preventDefault();
    }
  });
  if (!form) return;

  const error = document.getElementById("error");
  const button = document.getElementById("submit");
  const groups = () => [...form.querySelectorAll("fieldset")].filter((g) => !g.hidden);
  const answered = (group) => [...group.querySelectorAll("input, textarea")].some((i) =>
    i.checked || (isText(i) && i.value !== (i.dataset.begin || "")));
  const numbered = (group) => group.hasAttribute("data-numbers");
  const hasNumbersAfter = (node) => {
    const all = groups();
    return all.slice(all.indexOf(node.closest("fieldset")) + 1).some(numbered);
  };

  // The question itself has the focus, not its first answer, which would look chosen.
  function focusOn(group) {
    if (!group) { button.focus(); return; }
    const text = group.querySelector("input[type=text]");
    (group.querySelector("input:checked") || text || group).focus();
    group.scrollIntoView({ block: "nearest" });
  }

  // A key answers the question that has the focus, else the first without an answer.
  function choose(key, skips) {
    const focused = document.activeElement.closest && document.activeElement.closest("fieldset");
    const all = groups();
    const open = skips ? all.slice(all.indexOf(focused) + 1) : all;
    const group = (!skips && focused && numbered(focused) && focused) ||
      open.find((g) => numbered(g) && !answered(g));
    const quoted = `[data-key="${CSS.escape(key)}"]`;
    const input = group && group.querySelector(quoted);
    if (!input) {
      const other = document.querySelector(`button${quoted}`);
      if (other) other.click();
      return Boolean(other);
    }
    dirty = true;
    if (input.type === "checkbox") { input.checked = !input.checked; input.focus(); return true; }
    input.checked = true;
    input.focus();
    showConditions();
    const now = groups();
    const next = now[now.indexOf(group) + 1];
    if (next && !answered(next)) focusOn(next);
    return true;
  }

  // Enter leads to the next question that is open, also one that may stay so, and then saves.
  function goOn(from) {
    const here = from.closest("fieldset");
    if (here && here.matches(".rewrite") && from === here) { here.querySelector("textarea").focus(); return; }
    const adding = from.closest(".adding");
    if (adding && from.closest(".words")) { document.getElementById("correction").focus(); return; }
    if (adding && adding.querySelector("input:checked")) { document.getElementById("add").click(); return; }
    const all = groups();
    const next = here && !adding && all.slice(all.indexOf(here) + 1).find((g) => !answered(g));
    if (next) focusOn(next);
    else form.requestSubmit(button);
  }

  function moveAmongWords(event) {
    const words = [...event.target.closest(".words").querySelectorAll("input")];
    const next = words[words.indexOf(event.target) + (event.key === "ArrowRight" ? 1 : -1)];
    event.preventDefault();
    if (!next) return;
    if (event.shiftKey) { event.target.checked = true; next.checked = true; dirty = true; }
    next.focus();
  }

  // A question that is asked only on certain answers is there only then.
  function showConditions() {
    for (const group of form.querySelectorAll("fieldset[data-when]")) {
      const values = JSON.parse(group.dataset.in);
      const chosen = [...form.querySelectorAll(`input[name="${CSS.escape(group.dataset.when)}"]:checked`)];
      const holds = chosen.some((input) => values.includes(input.value));
      group.hidden = !holds;
      group.disabled = !holds;
    }
  }

  const wait = (seconds) => new Promise((done) => setTimeout(done, 1000 * seconds));
  const formData = (submitter) => {
    const body = new URLSearchParams(new FormData(form));
    if (submitter && submitter.name) body.append(submitter.name, submitter.value);
    return body;
  };

  // The same key goes with every attempt, so that an answer sent twice is stored once.
  async function send(submitter) {
    const body = formData(submitter);
    for (let attempt = 0; ; attempt += 1) {
      try {
        const reply = await fetch(form.action, {
          method: "POST", body, headers: { Accept: "application/json" },
        });
        if (reply.status < 500 && reply.status !== 429) return await reply.json();
      } catch (problem) {
        if (!(problem instanceof TypeError)) throw problem;
      }
      saving.textContent = form.dataset.retry;
      await wait(Math.min(10, 0.5 * 2 ** attempt));
    }
  }

  // A step on the way to an answer: the server sends the page as it is then, and part of it is shown.
  let latest = 0;
  async function step(address, submitter, part) {
    latest += 1;
    const mine = latest;
    const reply = await fetch(address, { method: "POST", body: formData(submitter) });
    if (!reply.ok || mine !== latest) return;
    const page = new DOMParser().parseFromString(await reply.text(), "text/html");
    const now = document.getElementById(part);
    const problem = page.getElementById("error").textContent;
    if (problem) {
      if (part === "work") { error.textContent = problem; error.focus(); } else now.textContent = problem;
      return;
    }
    if (part === "work") error.textContent = "";
    now.replaceWith(document.importNode(page.getElementById(part), true));
    if (part === "work") { begin(); dirty = true; }
  }

  let busy = false;
  form.addEventListener("submit", async (event) => {
    if (form.hasAttribute("data-plain")) return;
    event.preventDefault();
    const submitter = event.submitter;
    if (submitter && submitter.hasAttribute("formaction")) {
      await step(submitter.formAction, submitter, "work");
      return;
    }
    if (busy) return;
    busy = true;
    error.textContent = "";
    saving.textContent = form.dataset.saving;
    const reply = await send(submitter);
    if (reply.next) { location.assign(reply.next); return; }
    busy = false;
    saving.textContent = "";
    error.textContent = reply.error || form.dataset.failed;
    focusOn(groups().find((g) => !answered(g)) || groups()[0]);
  });

  let pause = 0;
  form.addEventListener("input", (event) => {
    dirty = true;
    showConditions();
    const address = event.target.dataset.live;
    if (!address) return;
    clearTimeout(pause);
    pause = setTimeout(() => step(address, null, "preview"), 300);
  });

  // A system's output: what it has changed is shown before anybody types.
  if (document.querySelector("#preview[data-unknown]")) {
    step(form.querySelector("[data-live]").dataset.live, null, "preview");
  }

  function begin() {
    showConditions();
    for (const words of form.querySelectorAll(".words")) {
      // One stop for the Tab key; the arrow keys move from word to word.
      const inputs = [...words.querySelectorAll("input")];
      inputs.forEach((input, place) => { input.tabIndex = place ? -1 : 0; });
      words.addEventListener("focusin", (event) => {
        for (const input of inputs) input.tabIndex = input === event.target ? 0 : -1;
      });
    }
    focusOn(groups().find((g) => !answered(g)) || groups()[0]);
  }

  // A page taken from the browser's memory is stale: its answer may be given already.
  window.addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
  begin();
})();
