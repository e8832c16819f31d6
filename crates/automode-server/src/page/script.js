"use strict";
// What is live: rows that arrive, and questions that come and go.
const live = document.querySelector("[data-live]");
if (live) {
  const source = new EventSource(live.dataset.live);
  source.addEventListener("rows", (event) => {
    const holder = document.createElement("tbody");
    holder.innerHTML = event.data;
    for (const row of [...holder.children].reverse()) {
      if (live.querySelector(`[data-hash="${CSS.escape(row.dataset.hash)}"]`)) continue;
      row.classList.add("fresh");
      live.prepend(row);
    }
    while (live.children.length > 200) live.lastElementChild.remove();
    document.querySelector("main > .empty")?.remove();
  });
}
for (const part of document.querySelectorAll("[data-replace]")) {
  const source = new EventSource(part.dataset.replace);
  source.addEventListener("part", (event) => {
    if (!part.contains(document.activeElement)) part.innerHTML = event.data;
  });
}
// Keys.
let chosen = -1;
let going = false;
const rows = () => [...document.querySelectorAll("table.rows tbody tr")];
const places = { o: "/", d: "/decisions", w: "/asks", s: "/stops", r: "/rules", p: "/policy" };
document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, textarea, select, dialog");
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  if (going && places[event.key]) { location.href = places[event.key]; return; }
  going = event.key === "g";
  const all = rows();
  if (event.key === "/") {
    const field = document.querySelector("[data-search]");
    if (field) { event.preventDefault(); field.focus(); } else location.href = "/decisions";
  } else if (event.key === "?") document.getElementById("keys")?.showModal();
  else if (event.key === "j" || event.key === "k") {
    if (!all.length) return;
    all[chosen]?.classList.remove("on");
    chosen = Math.min(all.length - 1, Math.max(0, chosen + (event.key === "j" ? 1 : -1)));
    all[chosen].classList.add("on");
    all[chosen].scrollIntoView({ block: "nearest" });
  } else if (event.key === "Enter" && all[chosen]) all[chosen].querySelector("td.call a")?.click();
});
