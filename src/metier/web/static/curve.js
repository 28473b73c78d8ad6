/* A training's curve drawn by uPlot: points can be read off, and it grows while the training runs. Without it the picture
   that the server drew stays. */
(() => {
  "use strict";
  const at = "/static/vendor/uplot.min";
  const sizes = new Map();
  const watch = new ResizeObserver((entries) => {
    for (const { target } of entries) sizes.get(target)?.setSize({ width: target.clientWidth, height: 280 });
  });
  let loading = null;
  function uplot() {
    loading ??= new Promise((done, failed) => {
      const style = Object.assign(document.createElement("link"), { rel: "stylesheet", href: `${at}.css` });
      const script = Object.assign(document.createElement("script"), { src: `${at}.js`, onload: done, onerror: failed });
      document.head.append(style, script);
    });
    return loading;
  }
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const score = (_, value) => (value == null ? "" : value.toFixed(3));

  function options(steps, width) {
    const line = (label, name, dash) => ({ label, stroke: colour(name), width: 2, dash, points: { show: false }, value: score });
    const dots = (label, name, fill) => ({ label, stroke: colour(name), paths: () => null, points: { show: true, size: 9, width: 2, fill: colour(fill) }, value: score });
    const axis = { stroke: colour("--muted"), grid: { stroke: colour("--line"), width: 1 }, ticks: { show: false } };
    const named = (_, found) => found.map((one) => (Number.isInteger(one) ? steps[one] ?? "" : ""));
    return {
      width, height: 280, cursor: { drag: { x: false, y: false } },
      scales: { x: { time: false }, y: { range: [0, 1] } },
      axes: [{ ...axis, values: named, incrs: [1, 2, 5, 10, 20, 50, 100] }, { ...axis }],
      series: [
        { label: "step", value: (_, one) => (one == null ? "" : steps[one]) },
        line("best so far", "--good"), line("current", "--accent", [5, 4]),
        dots("accepted", "--good", "--good"), dots("rejected", "--bad", "--surface"),
      ],
    };
  }

  async function draw() {
    for (const box of sizes.keys()) if (!box.isConnected) { watch.unobserve(box); sizes.get(box).destroy(); sizes.delete(box); }
    for (const figure of document.querySelectorAll("[data-curve]")) {
      const found = JSON.parse(figure.dataset.curve);
      delete figure.dataset.curve;
      try { await uplot(); } catch { return; }
      const box = Object.assign(document.createElement("div"), { className: "plot" });
      const still = figure.querySelector(".scroll");
      figure.prepend(box);
      const columns = [found.steps.map((_, number) => number), found.best, found.current, found.accepted, found.rejected];
      const made = new window.uPlot(options(found.steps, box.clientWidth), columns, box);
      const canvas = box.querySelector("canvas");
      canvas.setAttribute("role", "img");
      canvas.setAttribute("aria-label", still.querySelector("svg").getAttribute("aria-label"));
      still.hidden = true;
      figure.querySelector(".legend").hidden = true;
      sizes.set(box, made);
      watch.observe(box);
    }
  }
  document.addEventListener("metier:shown", draw);
  draw();
})();
