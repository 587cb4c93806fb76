// Keyboard work and safe sending. Without this script the page is a plain form and still works.
"use strict";
(() => {
  const form = document.getElementById("task");
  const back = document.getElementById("back");
  const help = document.getElementById("help");

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = event.target.matches && event.target.matches("input[type=text], textarea");
    if (event.key === "?" && help && !typing) {
      help.open = !help.open;
      if (help.open) help.querySelector("summary").focus();
      event.preventDefault();
    } else if ((event.key === "u" || event.key === "Backspace") && back && !typing) {
      event.preventDefault();
      location.assign(back.href);
    } else if (event.key === "Enter" && form) {
      const on = event.target.closest && event.target.closest("a, summary, button, textarea");
      if (on) return;
      event.preventDefault();
      goOn();
    } else if (/^[1-9]$/.test(event.key) && form && !typing) {
      choose(Number(event.key));
      event.preventDefault();
    }
  });
  if (!form) return;

  const groups = [...form.querySelectorAll("fieldset")];
  const error = document.getElementById("error");
  const saving = document.getElementById("saving");
  const button = document.getElementById("submit");
  const answered = (group) =>
    [...group.querySelectorAll("input")].some((i) => i.checked || (i.type === "text" && i.value));

  function focusOn(group) {
    if (!group) { button.focus(); return; }
    const inputs = [...group.querySelectorAll("input")];
    (inputs.find((i) => i.checked) || inputs[0]).focus();
    group.scrollIntoView({ block: "nearest" });
  }

  // A number answers the question that has the focus, else the first without an answer.
  function choose(number) {
    const focused = document.activeElement.closest && document.activeElement.closest("fieldset");
    const group = (focused && focused.hasAttribute("data-numbers") && focused) ||
      groups.find((g) => g.hasAttribute("data-numbers") && !answered(g));
    if (!group) return;
    const input = group.querySelectorAll("input")[number - 1];
    if (!input) return;
    if (input.type === "checkbox") { input.checked = !input.checked; input.focus(); return; }
    input.checked = true;
    input.focus();
    const next = groups[groups.indexOf(group) + 1];
    if (next && !answered(next)) focusOn(next);
  }

  // Enter leads to the next question while one that needs an answer is open, and then saves.
  function goOn() {
    const here = groups.indexOf(document.activeElement.closest("fieldset"));
    const later = groups.slice(here + 1);
    const open = later.some((g) => g.querySelector("[required]") && !answered(g));
    if (here >= 0 && open) focusOn(later.find((g) => !answered(g)));
    else form.requestSubmit();
  }

  const wait = (seconds) => new Promise((done) => setTimeout(done, 1000 * seconds));

  // The same key goes with every attempt, so that an answer sent twice is stored once.
  async function send() {
    const body = new URLSearchParams(new FormData(form));
    for (let attempt = 0; ; attempt += 1) {
      try {
        const reply = await fetch(form.action, {
          method: "POST", body, headers: { Accept: "application/json" },
        });
        if (reply.status < 500 && reply.status !== 429) return await reply.json();
      } catch (problem) {
        if (!(problem instanceof TypeError)) throw problem;
      }
      saving.textContent = "Not saved yet; trying again. Please keep this page open.";
      await wait(Math.min(10, 0.5 * 2 ** attempt));
    }
  }

  let busy = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (busy) return;
    busy = true;
    error.textContent = "";
    saving.textContent = "Saving…";
    const reply = await send();
    if (reply.next) { location.assign(reply.next); return; }
    busy = false;
    saving.textContent = "";
    error.textContent = reply.error || "That did not work; please reload the page.";
    focusOn(groups.find((g) => !answered(g)) || groups[0]);
  });

  // A page taken from the browser's memory is stale: its answer may be given already.
  window.addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
  focusOn(groups.find((g) => !answered(g)) || groups[0]);
})();
