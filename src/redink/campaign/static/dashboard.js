// The dashboard keeps itself up to date: every few seconds the part that changes is asked for, and
// put in place if it has changed. Without this script the page reloads by itself now and then.
"use strict";
(() => {
  const live = document.getElementById("live");
  if (!live) return;
  const EVERY = 3000;
  let tag = "";
  async function look() {
    if (!document.hidden) {
      try {
        const headers = tag ? { "If-None-Match": tag } : {};
        const reply = await fetch(live.dataset.address, { headers, cache: "no-store" });
        const news = reply.status === 200 ? await reply.text() : "";
        // A button that is being pressed stays until it is let go: the press would be lost.
        if (news && !live.matches(":active")) {
          tag = reply.headers.get("ETag") || "";
          const held = document.activeElement && live.contains(document.activeElement)
            ? document.activeElement.id : "";
          live.innerHTML = news;
          if (held) document.getElementById(held)?.focus();
        }
      } catch (problem) {
        if (!(problem instanceof TypeError)) throw problem;
      }
    }
    // Until there are results, they are looked for more often.
    setTimeout(look, live.querySelector("[data-pending]") ? EVERY / 4 : EVERY);
  }
  setTimeout(look, EVERY / 4);
})();
