// How long the page was in view and in use: leaving it, or doing nothing for a minute, stops the
// clock. The time goes with the answer; without this script the server measures by itself.
"use strict";
(() => {
  const form = document.getElementById("task");
  if (!form) return;
  const IDLE = 60000;
  let worked = 0;
  let last = performance.now();
  let heard = last;
  const advance = () => {
    const now = performance.now();
    if (!document.hidden) worked += Math.max(0, Math.min(now, heard + IDLE) - last);
    last = now;
  };
  const hear = () => { advance(); heard = performance.now(); };
  for (const kind of ["keydown", "pointermove", "pointerdown", "scroll", "touchstart"]) {
    addEventListener(kind, hear, { capture: true, passive: true });
  }
  // When the page goes out of view the time until now counts; when it comes back, from now on.
  document.addEventListener("visibilitychange", () => {
    const now = performance.now();
    if (document.hidden) worked += Math.max(0, Math.min(now, heard + IDLE) - last);
    else heard = now;
    last = now;
  });
  const field = document.createElement("input");
  field.type = "hidden";
  field.name = "active";
  form.append(field);
  // Skipping sends the form as it is: nothing needs to be answered.
  document.getElementById("skip")?.addEventListener("click", (event) => {
    event.preventDefault();
    const skip = document.createElement("input");
    skip.type = "hidden";
    skip.name = "remark-skip";
    skip.value = "yes";
    form.append(skip);
    form.noValidate = true;
    form.requestSubmit();
    setTimeout(() => { skip.remove(); form.noValidate = false; });
  });
  form.addEventListener("submit", () => { advance(); field.value = String(Math.round(worked)); }, true);
})();
