/* Keys, writes with their undo, and live updates. Pages work as plain links without it; writes need it. */
(() => {
  "use strict";
  const $ = (selector, root = document) => root.querySelector(selector);
  const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];
  const form = $('meta[name="metier-form"]').content;
  const UNDO_SECONDS = 10;
  let lastUndo = null;

  /* Load an address into the page: htmx exchanges what is on it, the frame's toasts and streams stay. One at a time, and
     the last one asked for wins. */
  let turn = Promise.resolve();
  let latest = 0;
  async function show(address, options = {}) {
    if (!options.sure && !(await mayLeave())) return false;
    const mine = ++latest;
    turn = turn.then(() => (mine === latest ? load(address, options) : undefined)).catch(() => location.assign(address));
    await turn;
    return true;
  }
  async function refresh() {
    if (!(await mayLeave())) return;
    turn = turn.then(() => load(here(), { push: false })).catch(() => {});
    await turn;
  }
  async function load(address, { push = true, focus = "" }) {
    const scrolled = $(".queue")?.scrollTop || 0;
    await window.htmx.ajax("GET", address, { target: "#page", select: "#page", swap: "outerHTML" });
    if (push && address !== here()) history.pushState({}, "", address);
    if ($(".queue")) $(".queue").scrollTop = scrolled;
    shown = here();
    document.dispatchEvent(new CustomEvent("metier:shown"));
    const target = focus && $(focus);
    if (target) target.focus();
  }
  const here = () => location.pathname + location.search;
  let shown = here();

  /* The part that an address names after its # is opened and scrolled to, once. */
  let jumped = "";
  function jump(again = false) {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target || (jumped === location.href && !again)) return;
    jumped = location.href;
    const closed = target.matches("details") ? [target] : target.dataset.opens ? $$(target.dataset.opens, target) : [];
    for (const one of closed) one.open = true;
    target.scrollIntoView();
  }
  document.addEventListener("metier:shown", () => jump());
  addEventListener("load", () => jump());

  /* Writes: JSON to the server; what was done is said with its undo for ten seconds. */
  async function post(address, body, source) {
    if (source) source.setAttribute("aria-busy", "true");
    try {
      const answer = await fetch(address, {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-Metier-Form": form },
        body: JSON.stringify(body),
      });
      const said = await answer.json();
      if (!answer.ok) { toast({ said: said.error, bad: true }); return null; }
      toast(said);
      return said;
    } catch {
      toast({ said: "The dashboard does not answer. Is `metier ui` still running?", bad: true });
      return null;
    } finally {
      if (source) source.removeAttribute("aria-busy");
    }
  }

  function toast({ said, undo, command, later, bad }) {
    const box = document.createElement("div");
    box.className = bad ? "toast bad" : "toast";
    if (bad) box.setAttribute("role", "alert");
    const words = document.createElement("div");
    words.append(...rich(said));
    box.append(words);
    if (undo || later) {
      const page = document.createElement("a");
      page.href = later || "/audit";
      page.textContent = page.pathname === "/audit" ? "Audit & costs" : "Rejected";
      words.append(document.createElement("br"), undo ? "Undo later: under " : "See ", page);
    }
    if (command) {
      const line = document.createElement("code");
      line.textContent = command;
      words.append(", or ", line);
    }
    if (undo) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = "Undo";
      button.dataset.undo = undo;
      button.onclick = async () => {
        box.remove();
        lastUndo = null;
        if (await post(`/undo/${undo}`, {}, null)) refresh();
      };
      box.append(button);
      lastUndo = button;
    }
    $("#toasts").append(box);
    setTimeout(() => { if (lastUndo && box.contains(lastUndo)) lastUndo = null; box.remove(); }, UNDO_SECONDS * 1000);
  }

  function dropToasts() {
    $("#toasts").replaceChildren();
    lastUndo = null;
  }

  new ResizeObserver(([one]) => {
    const height = one.contentRect.height;
    document.documentElement.style.setProperty("--toasts", height ? `${height + 16}px` : "0px");
  }).observe($("#toasts"));

  /* A text in which `words between backticks` are set as code. */
  function rich(text) {
    return text.split(/(?<!`)`([^`\n]+)`(?!`)/).map((part, at) => (at % 2 ? Object.assign(document.createElement("code"), { textContent: part }) : part));
  }

  async function act(source, body) {
    if (!source.contains(changedField()) && !(await mayLeave())) return;
    const said = await post(source.dataset.post, body, source);
    if (!said) return;
    if (source.id === "bulk") picked.clear();
    await show(said.go || source.dataset.next || here(), { sure: true });
    toNext();
  }

  /* After an action the keys go on at the next card. */
  function toNext() {
    const row = location.hash && $(`${location.hash} [data-row][aria-current]`);
    const card = row || $("#card") || $("#main");
    card.focus({ preventScroll: true });
    if (card.id === "card" && card.getBoundingClientRect().top < 0) card.scrollIntoView();
  }

  /* A question before what reaches far; it says what it is about. */
  function ask({ confirm, lines = "[]", verb = "Yes", careful = false }) {
    const box = $("#ask");
    box.onclose?.();
    $("#ask-words").replaceChildren(...rich(confirm));
    $("#ask-lines").replaceChildren(...JSON.parse(lines).map((text) => {
      const line = document.createElement("li");
      line.append(...rich(text));
      return line;
    }));
    $(".yes", box).textContent = verb;
    box.returnValue = "no";
    box.showModal();
    if (careful) $("[value=no]", box).focus();
    /* The event of a question that was closed just before may come after this one is open: it does not answer it. */
    return new Promise((done) => { box.onclose = () => { if (!box.open) done(box.returnValue === "yes"); }; });
  }

  /* A text that was changed and not saved is never lost without a question. */
  const changedField = () => $$("[data-edit] textarea").find((one) => one.value !== one.defaultValue) || null;
  async function mayLeave() {
    const field = changedField();
    if (!field) return true;
    if ($("#ask").open) return false;
    if (await ask({ confirm: "You changed the text and did not save it. Throw your changes away?", verb: "Throw away", careful: true })) {
      field.value = field.defaultValue;
      nameYes();
      return true;
    }
    field.focus();
    return false;
  }
  function nameYes() {
    for (const one of $$("[data-changed]")) {
      one.dataset.first ??= one.textContent;
      one.textContent = changedField() ? one.dataset.changed : one.dataset.first;
    }
  }
  document.addEventListener("input", (event) => {
    if (!event.target.matches("textarea, input:not([type=radio]):not([type=checkbox])")) return;
    dropToasts();
    nameYes();
  });
  addEventListener("beforeunload", (event) => { if (changedField()) event.preventDefault(); });

  /* What is selected in the queue stays selected while one looks at other cards. */
  const picked = new Map();
  function showPicked() {
    for (const box of $$("[data-pick]")) box.checked = picked.has(box.dataset.pick);
    const bulk = $("#bulk");
    if (!bulk) return;
    bulk.first ??= { hidden: bulk.hidden, text: bulk.textContent, ...bulk.dataset };
    const names = [...picked.keys()].map((one) => one.split(" "));
    const ids = (kind) => names.filter(([one]) => one === kind).map(([, id]) => id);
    bulk.hidden = !names.length && bulk.first.hidden;
    bulk.textContent = names.length ? `Reject selected (${names.length})` : bulk.first.text;
    bulk.dataset.body = names.length ? JSON.stringify({ lessons: ids("lessons"), drafts: ids("drafts") }) : bulk.first.body;
    bulk.dataset.confirm = names.length ? `Reject the ${names.length} that you selected? One undo brings all back.` : bulk.first.confirm;
    bulk.dataset.verb = names.length ? `Reject ${names.length}` : bulk.first.verb;
    bulk.dataset.lines = names.length ? JSON.stringify([...picked.values()].slice(0, 12)) : bulk.first.lines;
  }
  function pick(box) {
    if (box.checked) picked.set(box.dataset.pick, box.dataset.line); else picked.delete(box.dataset.pick);
    showPicked();
  }
  document.addEventListener("metier:shown", showPicked);

  document.addEventListener("submit", (event) => {
    const source = event.target;
    if (source.dataset.post) {
      event.preventDefault();
      const sent = Object.fromEntries(new FormData(source));
      if ($("[data-edit]", source)?.hidden) delete sent.text;
      act(source, sent);
    } else if (source.dataset.filter !== undefined) {
      event.preventDefault();
      show(filterAddress(source));
    }
  });

  function filterAddress(source) {
    const values = [...new FormData(source)].filter(([, value]) => value !== "");
    const query = new URLSearchParams(values).toString();
    return source.getAttribute("action") + (query ? `?${query}` : "");
  }

  document.addEventListener("change", (event) => {
    if (event.target.dataset.pick) { pick(event.target); return; }
    const source = event.target.closest("form[data-filter]");
    if (source && event.target.type !== "search") show(filterAddress(source), { focus: event.target.id && `#${event.target.id}` });
  });

  document.addEventListener("click", (event) => {
    const source = event.target.closest("button, a");
    if (!source) return;
    if (source.dataset.post) {
      event.preventDefault();
      if (source.dataset.saves !== undefined && changedField()) { $("form[data-edit]").requestSubmit(); return; }
      const body = JSON.parse(source.dataset.body || "{}");
      if (source.dataset.confirm) ask(source.dataset).then((yes) => { if (yes) act(source, body); }); else act(source, body);
      return;
    }
    if (source.dataset.showEdit !== undefined) { showEdit(); return; }
    if (source.dataset.cancelEdit !== undefined) { mayLeave().then((yes) => { if (yes) showEdit(); }); return; }
    if (source.dataset.help !== undefined) { $("#help").showModal(); return; }
    if (source.id === "news") { refresh(); return; }
    if (source.dataset.copy) { navigator.clipboard?.writeText(source.dataset.copy).then(() => toast({ said: `Copied ${source.dataset.copy}` })); return; }
    const plain = !event.ctrlKey && !event.metaKey && !event.shiftKey && event.button === 0;
    const address = source.getAttribute("href");
    if (plain && address && address.startsWith("/") && !source.hasAttribute("download") && !source.target) {
      if (address.includes("#")) { setTimeout(() => jump(true)); return; }
      event.preventDefault();
      const isHere = address.split("?")[0] === location.pathname;
      const inPanel = (source.dataset.row !== undefined && isHere) || source.closest("#panel") || source.dataset.stay !== undefined;
      show(address).then((yes) => { if (!yes) return; if (!inPanel) { scrollTo(0, 0); $("#main").focus({ preventScroll: true }); } else keepRow(address); });
    }
  });
  addEventListener("popstate", async () => {
    if (here() === shown) return;
    const left = shown;
    if (!(await show(here(), { push: false }))) history.pushState({}, "", left);
  });

  function keepRow(address) {
    const row = $$("[data-row]").find((one) => one.getAttribute("href") === address) || $("[data-row][aria-current]");
    if (row) row.focus({ preventScroll: true });
  }

  function showEdit() {
    const box = $("[data-edit]");
    if (!box) return;
    box.hidden = !box.hidden && !changedField();
    const field = $("textarea", box);
    dropToasts();
    if (!box.hidden && field) { field.focus(); field.setSelectionRange(field.value.length, field.value.length); field.scrollIntoView({ block: "nearest" }); }
  }

  /* Keys. */
  let leader = false;
  document.addEventListener("keydown", (event) => {
    const edited = event.key === "Enter" && (event.ctrlKey || event.metaKey) && event.target.closest("[data-edit] textarea");
    if (edited) { event.preventDefault(); edited.form.requestSubmit(); return; }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const field = event.target.closest("input:not([type=radio]):not([type=checkbox]), textarea, select");
    if (event.key === "Escape") { escape(field); return; }
    if (field || $("dialog[open]")) return;
    if (leader) {
      leader = false;
      const target = $(`.top a[data-go="${CSS.escape(event.key)}"]`);
      if (target) { event.preventDefault(); target.click(); }
      return;
    }
    const known = { j: () => step(1), k: () => step(-1), "/": search, "?": () => $("#help").showModal(), u: undoLast, x: pickCurrent, R: () => $("#bulk:not([hidden])")?.click(), g: () => { leader = true; setTimeout(() => { leader = false; }, 1500); } };
    if (known[event.key]) { event.preventDefault(); known[event.key](); return; }
    const target = /^[a-z]$/.test(event.key) && $(`[data-key="${event.key}"]`);
    if (target) { event.preventDefault(); target.click(); return; }
    const held = event.key === "a" && $("[data-held]");
    if (held) { event.preventDefault(); toast({ said: held.dataset.held, bad: true }); held.focus({ preventScroll: true }); }
  });

  function undoLast() {
    if (lastUndo) lastUndo.click(); else toast({ said: "Nothing to undo in the last ten seconds. Every change is under Audit & costs.", later: "/audit" });
  }
  function pickCurrent() {
    const row = document.activeElement.matches("[data-row]") ? document.activeElement : $(".queue [aria-current]");
    const box = row && $("[data-pick]", row.parentElement);
    if (box) { box.checked = !box.checked; pick(box); }
  }
  function escape(field) {
    if ($("dialog[open]")) return;
    if (field) { field.blur(); return; }
    if (picked.size) { picked.clear(); showPicked(); return; }
    if ($("[data-leave]")) { show("/"); return; }
    const close = $("#panel .close");
    if (close) close.click();
  }
  function search() {
    const field = $("[data-search]");
    if (field) { field.focus(); field.select(); } else { show("/runs").then((yes) => yes && $("[data-search]")?.focus()); }
  }
  function step(by) {
    const rows = $$("main [data-row]");
    if (!rows.length) return;
    const at = rows.indexOf(document.activeElement) >= 0 ? rows.indexOf(document.activeElement) : rows.findIndex((row) => row.hasAttribute("aria-current"));
    const next = rows[Math.min(rows.length - 1, Math.max(0, at + by))];
    const follow = next.closest(".queue") || !$("#panel").hidden;
    if (follow && at >= 0 && next !== rows[at]) next.click(); else { next.focus(); next.scrollIntoView({ block: "nearest" }); }
  }

  /* Live: a stream of stamps. Figures are exchanged in place; for lists a button appears, so that nothing jumps. */
  function differs(name, stamps) { const seen = JSON.parse($("#page").dataset.stamps); return seen[name] !== stamps[name]; }
  async function exchange(names) {
    const answer = await fetch(here(), { headers: { Accept: "text/html" } });
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    for (const part of $$("[data-part]")) {
      const other = part.id && fresh.getElementById(part.id);
      if (other && names.some((name) => part.dataset.part.split(" ").includes(name)) && part.outerHTML !== other.outerHTML) {
        for (const one of $$("details[open][id]", part)) $(`#${CSS.escape(one.id)}`, other)?.setAttribute("open", "");
        part.replaceWith(other);
        document.dispatchEvent(new CustomEvent("metier:shown"));
      }
    }
    const stamps = $("#page", fresh)?.dataset.stamps;
    if (stamps) {
      const topic = $("#page").dataset.topic;
      const merged = JSON.parse(stamps);
      if (topic) merged[topic] = JSON.parse($("#page").dataset.stamps)[topic];
      $("#page").dataset.stamps = JSON.stringify(merged);
    }
  }
  function hear(stamps) {
    const topic = $("#page").dataset.topic;
    const parts = [...new Set($$("[data-part]").flatMap((part) => part.dataset.part.split(" ")))].filter((name) => differs(name, stamps));
    if (topic && differs(topic, stamps)) {
      if ($("[data-auto]")) { refresh(); return; }
      $("#news").hidden = false;
    }
    if (parts.length) exchange(parts);
  }
  const stream = new EventSource("/events");
  stream.addEventListener("stamps", (event) => hear(JSON.parse(event.data)));
  addEventListener("pagehide", () => stream.close());
})();
