"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const $ = (id) => document.getElementById(id);
  const SVG = "http://www.w3.org/2000/svg";
  const number = (n) => n.toLocaleString("en-US");
  const plural = (n, word) => `${number(n)} ${word}${n === 1 ? "" : "s"}`;

  function make(tag, attributes = {}, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name === "text") node.textContent = value;
      else if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
      else if (value !== false && value !== undefined) node.setAttribute(name, value);
    }
    node.append(...children);
    return node;
  }
  function draw(tag, attributes = {}, text) {
    const node = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    if (text !== undefined) node.textContent = text;
    return node;
  }
  const color = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();

  // ---- theme: what is drawn is drawn again
  const redraws = [];
  function setTheme(theme) {
    document.documentElement.dataset.theme = theme;
    redraws.forEach((redraw) => redraw());
  }
  const prefersDark = matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = prefersDark ? "dark" : "light";
  $("theme").addEventListener("click", () =>
    setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"));

  // ---- PNG of a figure: SVG through an image, canvas as it is
  function save(canvas, name) {
    canvas.toBlob((blob) => {
      const link = make("a", { href: URL.createObjectURL(blob), download: name + ".png" });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    });
  }
  function canvasOf(picture, scale) {
    return new Promise((done, fail) => {
      const canvas = document.createElement("canvas");
      const context = canvas.getContext("2d");
      if (picture.tagName === "CANVAS") {
        const times = Math.max(1, Math.floor(1024 / picture.width));
        canvas.width = picture.width * times;
        canvas.height = picture.height * times;
        context.imageSmoothingEnabled = false;
        context.drawImage(picture, 0, 0, canvas.width, canvas.height);
        done(canvas);
        return;
      }
      const box = picture.viewBox.baseVal;
      canvas.width = box.width * scale;
      canvas.height = box.height * scale;
      const copy = picture.cloneNode(true);
      copy.setAttribute("xmlns", SVG);
      copy.setAttribute("width", canvas.width);
      copy.setAttribute("height", canvas.height);
      const image = new Image();
      image.onload = () => {
        context.fillStyle = color("card");
        context.fillRect(0, 0, canvas.width, canvas.height);
        context.drawImage(image, 0, 0);
        done(canvas);
      };
      image.onerror = fail;
      image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(new XMLSerializer().serializeToString(copy));
    });
  }
  // A figure whose picture is made by `render()`, again when the theme changes.
  function figure(title, name, render, { wide = false, controls = [], below } = {}) {
    const holder = make("div");
    const redraw = () => holder.replaceChildren(render());
    redraw();
    redraws.push(redraw);
    const png = make("button", { type: "button", class: "png", "aria-label": `Save ${title} as PNG`, text: "PNG",
      onclick: () => canvasOf(holder.firstChild, 2).then((canvas) => save(canvas, name)) });
    const node = make("figure", { class: wide ? "wide" : "" },
      make("figcaption", {}, make("span", { text: title }), ...controls, png), holder);
    if (below) node.append(below);
    node.redraw = redraw;
    return node;
  }
  const canvasMap = (width, height) => Object.assign(document.createElement("canvas"), { width, height });
  function chart(width, height, label) {
    const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
    svg.write = (x, y, text, more = {}) => {
      const node = draw("text", { x, y, fill: color(more.fill || "ink"), "font-size": more.size || 11,
        "font-family": more.mono === false ? "system-ui, sans-serif" : "ui-monospace, Menlo, Consolas, monospace",
        "text-anchor": more.anchor || "start" }, text);
      svg.append(node);
      return node;
    };
    svg.box = (x, y, w, h, fill, title) => {
      const node = draw("rect", { x, y, width: Math.max(w, 0), height: Math.max(h, 0), fill: color(fill), rx: 1.5 });
      if (title) node.append(draw("title", {}, title));
      svg.append(node);
      return node;
    };
    return svg;
  }

  // ---- charts
  function waterfall(cause) {
    const rows = cause.waterfall, step = 17, left = 178, bar = 300, width = 760;
    const svg = chart(width, rows.length * step + 8, "Tensors in dataflow order and how much of each differs");
    const first = rows.findIndex((row) => row[0] === cause.first);
    rows.forEach(([name, differing, elements], r) => {
      const y = r * step + 4;
      if (r === first) svg.box(0, y - 2, width, step, "mark");
      svg.write(left - 8, y + 10, name, { anchor: "end", fill: differing ? "ink" : "soft" });
      svg.box(left, y + 1, bar, step - 6, "heat0");
      if (differing) {
        const share = differing / Math.max(elements, 1);
        svg.box(left, y + 1, Math.max(2, bar * share), step - 6, r === first ? "bad" : "bar",
          `${name}: ${number(differing)} of ${number(elements)}`);
        svg.write(left + bar + 8, y + 10, `${number(differing)} of ${number(elements)}`, { fill: "soft" });
        if (r === first) svg.write(width - 4, y + 10, "first that differs", { anchor: "end", fill: "bad", mono: false });
      } else {
        svg.write(left + bar + 8, y + 10, elements ? "identical" : "not compared", { fill: "soft", mono: false });
      }
    });
    return svg;
  }
  function bars(entries, label, rotate) {
    const width = 420, height = 190, bottom = rotate ? 44 : 30, top = 16;
    const svg = chart(width, height, label);
    const most = Math.max(1, ...entries.map((entry) => entry[1]));
    const step = (width - 12) / Math.max(entries.length, 1);
    entries.forEach(([name, count, hint, fill], i) => {
      const tall = count ? Math.max(1.5, (height - top - bottom) * count / most) : 0;
      svg.box(8 + i * step, height - bottom - tall, Math.max(1, step - 2), tall, fill || "accent", `${hint || name}: ${number(count)}`);
      if (name !== "") {
        const text = svg.write(8 + i * step + step / 2 - 1, height - bottom + 13, name, { size: 9.5, anchor: rotate ? "end" : "middle", fill: "soft" });
        if (rotate) text.setAttribute("transform", `rotate(-40 ${8 + i * step + step / 2 - 1} ${height - bottom + 11})`);
      }
    });
    svg.append(draw("line", { x1: 8, x2: width - 4, y1: height - bottom + .5, y2: height - bottom + .5, stroke: color("line") }));
    svg.write(width - 4, 11, `most ${number(most)}`, { anchor: "end", fill: "soft", size: 10, mono: false });
    return svg;
  }
  function ulpBars(stats) {
    const buckets = Object.keys(stats.ulp).map(Number);
    if (!buckets.length) return bars([["no distance", 0]], "ulp distances");
    const last = Math.max(...buckets), entries = [];
    for (let low = 0; low <= last; low = low ? low * 2 : 1) {
      const high = low < 2 ? low : low * 2 - 1;
      const name = low < 1024 ? String(low) : "2^" + Math.log2(low);
      entries.push([name, stats.ulp[low] || 0, low === high ? `${low} ulp` : `${low} to ${high} ulp`]);
    }
    return bars(entries, "Elements by ulp distance", entries.length > 10);
  }
  function flipBars(stats, bits) {
    const entries = [];
    const fraction = bits === 32 ? 23 : 7;
    for (let bit = bits - 1; bit >= 0; --bit) {
      const part = bit === bits - 1 ? "sign" : bit >= fraction ? "exponent" : "fraction";
      entries.push([bit % 4 === 0 || bit === bits - 1 ? String(bit) : "", stats.flips[bit] || 0, `bit ${bit} (${part})`,
        part === "sign" ? "bad" : part === "exponent" ? "odd" : "accent"]);
    }
    return bars(entries, "Elements by bit that differs");
  }
  function classTable(stats) {
    const names = ["nan", "-inf", "-normal", "-subnormal", "-zero", "+zero", "+subnormal", "+normal", "+inf"];
    const shown = names.filter((name) => stats.classes.some(([e, a]) => e === name || a === name));
    const size = Math.min(64, 330 / Math.max(shown.length, 1)), left = 92, top = 34;
    const svg = chart(left + 9 * 36.6, top + Math.max(shown.length, 1) * 30 + 8, "Classes of expected and actual values");
    const most = Math.max(1, ...stats.classes.map((entry) => entry[2]));
    svg.write(left, 12, "actual →", { fill: "soft", size: 10, mono: false });
    svg.write(left - 8, top - 8, "expected ↓", { fill: "soft", size: 10, anchor: "end", mono: false });
    shown.forEach((name, i) => {
      svg.write(left + i * size + size / 2, top - 8, name.replace("subnormal", "subn"), { size: 9, anchor: "middle", fill: "soft" });
      svg.write(left - 8, top + i * 30 + 19, name, { size: 10, anchor: "end", fill: "soft" });
      shown.forEach((other, j) => {
        const found = stats.classes.find(([e, a]) => e === name && a === other);
        const cell = svg.box(left + j * size + 1, top + i * 30 + 1, size - 2, 28, found ? (i === j ? "bar" : "bad") : "heat0",
          `${name} became ${other}: ${number(found ? found[2] : 0)}`);
        if (found) {
          cell.setAttribute("fill-opacity", .3 + .7 * Math.log1p(found[2]) / Math.log1p(most));
          svg.write(left + j * size + size / 2, top + i * 30 + 19, found[2] < 1e5 ? number(found[2]) : found[2].toExponential(0), { size: 10, anchor: "middle" });
        }
      });
    });
    return svg;
  }
  function decode(map) {
    const bytes = Uint8Array.from(atob(map.counts), (c) => c.charCodeAt(0));
    return new Uint16Array(bytes.buffer);
  }
  function rgb(name) {
    const text = color(name);
    const full = text.length === 4 ? [...text.slice(1)].map((c) => c + c).join("") : text.slice(1);
    return [0, 2, 4].map((i) => parseInt(full.slice(i, i + 2), 16));
  }
  function heatFigure(maps, title, name) {
    let chosen = 0;
    const below = make("div", { class: "axis" });
    const caption = () => {
      const map = maps[chosen];
      below.textContent = `${map.rows} ↓ 0..${map.height - 1}, ${map.columns} → 0..${map.width - 1}; darkest ${number(map.most)}; from ${plural(map.cases, "case")}`;
    };
    const select = make("select", { "aria-label": "Axes" },
      ...maps.map((map, i) => make("option", { value: i, text: `${map.tensor}: ${map.rows} × ${map.columns}` })));
    const node = figure(title, name, () => {
      const map = maps[chosen], counts = decode(map);
      const low = rgb("heat0"), high = rgb("bad"), canvas = canvasMap(map.width, map.height);
      const context = canvas.getContext("2d"), image = context.createImageData(map.width, map.height);
      counts.forEach((count, i) => {
        const share = count ? .18 + .82 * Math.log1p(count) / Math.log1p(Math.max(map.most, 1)) : 0;
        for (let c = 0; c < 3; ++c) image.data[4 * i + c] = low[c] + (high[c] - low[c]) * share;
        image.data[4 * i + 3] = 255;
      });
      context.putImageData(image, 0, 0);
      canvas.setAttribute("role", "img");
      canvas.setAttribute("aria-label", `${map.tensor}: differing elements over ${map.rows} and ${map.columns}`);
      canvas.style.maxWidth = `${map.width * 40}px`;
      canvas.style.aspectRatio = `${Math.max(map.width, map.height)} / ${Math.max(map.height, map.width / 8)}`;
      canvas.addEventListener("mousemove", (event) => {
        const box = canvas.getBoundingClientRect();
        const x = Math.min(map.width - 1, Math.max(0, Math.floor((event.clientX - box.left) / box.width * map.width)));
        const y = Math.min(map.height - 1, Math.max(0, Math.floor((event.clientY - box.top) / box.height * map.height)));
        below.textContent = `${map.rows} ${y}, ${map.columns} ${x}: ${number(counts[y * map.width + x])} differ`;
      });
      canvas.addEventListener("mouseleave", caption);
      return canvas;
    }, { controls: maps.length > 1 ? [select] : [make("span", { class: "axis mono", text: `${maps[0].tensor}` })], below });
    select.addEventListener("change", () => { chosen = Number(select.value); caption(); node.redraw(); });
    caption();
    return node;
  }

  // ---- the first difference, bit by bit
  function bitRow(name, side, other, width) {
    const bits = BigInt(side.bits).toString(2).padStart(width, "0"), others = BigInt(other.bits).toString(2).padStart(width, "0");
    const cell = make("td", { class: "mono" });
    const fraction = width === 32 ? 23 : 7;
    [...bits].forEach((bit, i) => {
      if (width - i === fraction || width - i === width - 1) cell.append(" ");
      cell.append(bit === others[i] ? bit : make("span", { class: "flip", text: bit }));
    });
    return make("tr", {}, make("th", { text: name }), make("td", { class: "mono", text: side.bits }),
      make("td", { class: "mono", text: String(side.value) }), cell);
  }
  function example(cause) {
    const e = cause.example, node = make("div");
    if (!e) return node;
    const place = Object.entries(e.coordinates).map(([axis, at]) => `${axis}=${at}`).join(" ");
    const width = e.expected.bits.length > 6 ? 32 : 16;
    node.append(make("p", {}, "First difference of the first case: ", make("code", { text: `${cause.first} at ${place || "scalar"}` }),
      e.ulp !== undefined ? `, ${number(e.ulp)} ulp` : `, ${e.change}`, "."),
      make("div", { class: "scroll" }, make("table", { class: "bits" }, bitRow("expected", e.expected, e.actual, width), bitRow("actual", e.actual, e.expected, width))));
    return node;
  }

  // ---- causes
  function fillCause(body, cause, index) {
    for (const sentence of cause.explanation) body.append(make("p", { class: "sentence", text: sentence }));
    for (const note of cause.notes) body.append(make("p", { class: "lead", text: note }));
    body.append(example(cause));
    const charts = make("div", { class: "charts" });
    const tag = `cause-${index + 1}`;
    if (cause.waterfall.length) charts.append(figure("Waterfall of tensors, in dataflow order", tag + "-waterfall", () => waterfall(cause), { wide: true }));
    if (cause.maps.length) charts.append(heatFigure(cause.maps, "Where it differs", tag + "-map"));
    if (cause.lanes.length) charts.append(heatFigure(cause.lanes, "By lane and register", tag + "-lanes"));
    if (cause.stats) {
      charts.append(figure(`Ulp distances, ${cause.first}`, tag + "-ulp", () => ulpBars(cause.stats)));
      charts.append(figure(`Bits that differ, ${cause.first}`, tag + "-bits", () => flipBars(cause.stats, cause.stats.bits)));
      if (cause.stats.classes.length) charts.append(figure(`Classes, ${cause.first}`, tag + "-classes", () => classTable(cause.stats)));
    }
    body.append(charts);
    body.append(make("p", {}, make("button", { type: "button", text: `Show its ${plural(cause.cases, "case")}`, onclick: () => {
      $("cause-filter").value = String(index);
      renderCases();
      $("cases").scrollIntoView();
    } })));
  }
  function renderCauses() {
    const list = $("cause-list");
    $("causes-lead").textContent = data.causes.length
      ? "Cases that begin to differ at the same tensor, with the same explanation or the same kind of bits, are one entry."
      : "No case differs.";
    data.causes.forEach((cause, index) => {
      const body = make("div", { class: "body" });
      const card = make("details", { class: "card", "data-cause": index },
        make("summary", {}, make("span", { class: "count", text: plural(cause.cases, "case") }),
          make("span", { class: "what" }, make("code", { text: cause.first || cause.title }),
            " ", cause.explanation[0] || cause.title, make("small", { text: cause.subtitle }))), body);
      card.addEventListener("toggle", () => {
        if (card.open && !body.hasChildNodes()) fillCause(body, cause, index);
      });
      list.append(card);
    });
    const first = list.querySelector("details");
    if (first) first.open = true;
  }

  // ---- configurations
  function renderGrid() {
    const axes = data.axes;
    if (!data.cases.length) { $("grid").hidden = true; return; }
    const option = (axis) => make("option", { value: axis, text: axis });
    const spread = (axis) => new Set(data.cases.map((c) => c.axes[axis])).size;
    const ranked = [...axes].sort((a, b) => spread(b) - spread(a) || (a < b ? -1 : 1));
    const rows = make("select", { id: "grid-rows" }, ...axes.map(option)), columns = make("select", { id: "grid-columns" }, ...axes.map(option));
    rows.value = ranked[0];
    columns.value = ranked[Math.min(1, ranked.length - 1)];
    $("grid-controls").append(make("label", {}, "Rows ", rows), make("label", {}, "Columns ", columns),
      make("span", { text: "A cell counts the cases that are not identical; choose one to list them." }));
    const sort = (values) => [...values].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
    const render = () => {
      const cells = new Map(), ys = new Set(), xs = new Set();
      for (const c of data.cases) {
        const y = c.axes[rows.value], x = c.axes[columns.value], key = y + "\n" + x;
        ys.add(y); xs.add(x);
        const cell = cells.get(key) || { all: 0, bad: 0, skipped: 0 };
        ++cell.all;
        cell.bad += c.verdict === "divergent" || c.verdict === "unstable";
        cell.skipped += c.verdict === "skipped";
        cells.set(key, cell);
      }
      const table = make("table", {}, make("tr", {}, make("th", { text: `${rows.value} ↓  ${columns.value} →` }), ...sort(xs).map((x) => make("th", { scope: "col", text: x }))));
      for (const y of sort(ys)) {
        const row = make("tr", {}, make("th", { scope: "row", text: y }));
        for (const x of sort(xs)) {
          const cell = cells.get(y + "\n" + x);
          const kind = !cell ? "none" : cell.bad === 0 ? (cell.skipped === cell.all ? "skipped" : "good") : cell.bad === cell.all ? "all" : "some";
          row.append(make("td", {}, cell ? make("button", { type: "button", class: "cell " + kind,
            "aria-label": `${rows.value}=${y} ${columns.value}=${x}: ${cell.bad} of ${cell.all} differ`, text: cell.bad ? `${cell.bad}/${cell.all}` : String(cell.all),
            onclick: () => {
              $("find").value = [...new Set([`${rows.value}=${y}`, `${columns.value}=${x}`])].join(" ");
              renderCases();
              $("cases").scrollIntoView();
            } }) : make("div", { class: "cell none" })));
        }
        table.append(row);
      }
      $("grid-table").replaceChildren(table);
    };
    rows.addEventListener("change", render);
    columns.addEventListener("change", render);
    render();
  }

  // ---- summation trees: the notation of model/order/tree.h, drawn from the leaves up
  function parse(text) {
    let at = 0;
    const eat = (c) => { if (text[at] !== c) throw new Error(`tree: ${c} expected at ${at}`); ++at; };
    const list = () => {
      const leaves = [];
      for (;;) {
        const found = /^(\d+)(?:\.\.(\d+))?/.exec(text.slice(at));
        if (!found) throw new Error(`tree: leaf expected at ${at}`);
        at += found[0].length;
        for (let leaf = Number(found[1]); leaf <= Number(found[2] ?? found[1]); ++leaf) leaves.push({ leaf });
        if (text[at] !== ",") return leaves;
        ++at;
      }
    };
    const node = () => {
      if (text[at] === "(") {
        eat("(");
        const left = node();
        at += 3;
        const right = node();
        eat(")");
        return { kind: "+", children: [left, right] };
      }
      if (text[at] === "F") {
        at += 2;
        const leaves = list();
        let sum = null;
        if (text[at] === ";") { ++at; sum = node(); }
        eat("]");
        for (const leaf of leaves) sum = sum === null ? leaf : { kind: "fma", children: [sum, leaf] };
        return sum;
      }
      if (text[at] === "M") {
        at += 2;
        const leaves = list();
        eat(";");
        const accumulator = node();
        eat("}");
        return { kind: "M", children: accumulator.zero ? leaves : [accumulator, ...leaves] };
      }
      if (text.startsWith("+0", at)) { at += 2; return { zero: true }; }
      if (text.startsWith("start", at)) { at += 5; return { leaf: "start" }; }
      const [leaf] = list();
      return leaf;
    };
    return node();
  }
  function treePicture(text, label) {
    const root = parse(text);
    let leaves = 0, deepest = 0;
    const place = (n) => {
      if (!n.children) { n.x = leaves++; n.depth = 0; return; }
      n.children.forEach(place);
      n.depth = 1 + Math.max(...n.children.map((c) => c.depth));
      n.x = n.children.reduce((sum, c) => sum + c.x, 0) / n.children.length;
      deepest = Math.max(deepest, n.depth);
    };
    place(root);
    const step = 8.6, level = Math.max(5, Math.min(26, 260 / Math.max(deepest, 1))), width = Math.max(leaves * step + 20, 300), height = deepest * level + 56;
    const svg = chart(width, height, label);
    const x = (n) => 10 + (n.x + .5) * step, y = (n) => height - 26 - n.depth * level;
    const kinds = { "+": "ink", fma: "accent", M: "odd" };
    const visit = (n) => {
      for (const child of n.children || []) {
        svg.append(draw("path", { d: `M${x(child)} ${y(child)}V${y(n)}H${x(n)}`, fill: "none", stroke: color(kinds[n.kind]), "stroke-width": n.kind === "M" ? 1.6 : 1 }));
        visit(child);
      }
      if (!n.children) {
        const mark = svg.write(x(n) + 2.5, height - 20, n.zero ? "+0" : String(n.leaf), { size: 6.5, anchor: "end", fill: "soft" });
        mark.setAttribute("transform", `rotate(-90 ${x(n) + 2.5} ${height - 20})`);
      }
    };
    visit(root);
    ["+ addition", "fma", "one operation of the unit"].forEach((name, i) =>
      svg.write(10 + [0, 72, 110][i], 11, name, { size: 10, mono: false, fill: ["ink", "accent", "odd"][i] }));
    return svg;
  }
  function renderTrees() {
    if (!data.trees.length) { $("trees").hidden = $("nav-trees").hidden = true; return; }
    for (const tree of data.trees) {
      const body = make("div", { class: "body" });
      const card = make("details", { class: "card", "data-tree": tree.stage },
        make("summary", {}, make("span", { class: "count" + (tree.equal ? " equal" : ""), text: tree.equal ? "equal" : "different" }),
          make("span", { class: "what" }, make("code", { text: tree.stage }), " " + tree.doc, make("small", { text: tree.difference }))), body);
      card.addEventListener("toggle", () => {
        if (!card.open || body.hasChildNodes()) return;
        const pair = make("div", { class: "pair" });
        for (const side of ["revealed", "contract"]) {
          const scroll = figure(side === "revealed" ? `Revealed on ${tree.backend}` : `Contract ${tree.contract_name}`, `${tree.stage}-${side}`,
            () => treePicture(tree[side], `${tree.stage}: ${side} tree`), { wide: true });
          scroll.append(make("div", { class: "notation", tabindex: 0, text: tree[side] }));
          pair.append(scroll);
        }
        body.append(pair);
      });
      $("tree-list").append(card);
    }
  }

  // ---- cases
  const page = 200;
  let limit = page;
  const textOf = (c) => c.search || (c.search = [c.id, c.verdict, c.first, ...Object.entries(c.axes).map(([a, v]) => `${a}=${v}`)].join(" ").toLowerCase());
  function renderCases(keep) {
    if (!keep) limit = page;
    const words = $("find").value.toLowerCase().split(/\s+/).filter(Boolean);
    const verdict = $("verdict-filter").value, cause = $("cause-filter").value;
    // name=value is a whole word, so that tokens=1 does not find tokens=16
    const fits = (c, word) => word.includes("=") ? (" " + textOf(c) + " ").includes(" " + word + " ") : textOf(c).includes(word);
    const found = data.cases.filter((c) => (!verdict || c.verdict === verdict) && (!cause || String(c.cause) === cause) && words.every((word) => fits(c, word)));
    $("found").textContent = `${number(found.length)} of ${plural(data.cases.length, "case")}`;
    $("case-table").tBodies[0].replaceChildren(...found.slice(0, limit).map((c) => make("tr", {},
      make("td", { class: "v-" + c.verdict, text: c.verdict }), make("td", { class: "mono", text: c.id.slice(0, 12), title: c.id }),
      make("td", { class: "mono", text: c.shown }), make("td", { class: "mono", text: c.first || c.reason || "" }),
      make("td", { text: c.differing ? `${number(c.differing)} in ${plural(c.tensors, "tensor")}` : "" }))));
    $("more").hidden = found.length <= limit;
    $("more").textContent = `Show ${number(Math.min(page, found.length - limit))} more`;
  }
  function setUpCases() {
    $("case-table").tHead.append(make("tr", {}, ...["Verdict", "Id", "Configuration", "First difference", "Differing elements"].map((text) => make("th", { scope: "col", text }))));
    const verdicts = [...new Set(data.cases.map((c) => c.verdict))];
    $("verdict-filter").append(make("option", { value: "", text: "all" }), ...verdicts.map((v) => make("option", { value: v, text: v })));
    $("cause-filter").append(make("option", { value: "", text: "all" }), ...data.causes.map((cause, i) => make("option", { value: i, text: `${i + 1}: ${cause.first || cause.title}` })));
    for (const id of ["find", "verdict-filter", "cause-filter"]) $(id).addEventListener("input", () => renderCases());
    $("more").addEventListener("click", () => { limit += page; renderCases(true); });
    if (!data.cases.length) $("cases").hidden = true;
    renderCases();
  }

  // ---- head and foot
  $("title").textContent = data.title;
  $("verdict").textContent = data.verdict;
  $("verdict").classList.add(data.verdict);
  for (const [name, count] of data.summary) $("summary").append(make("li", { class: name }, make("b", { text: number(count) }), name));
  for (const [name, value] of data.facts) $("facts").append(make("dt", { text: name }), make("dd", {}, make("code", { text: value })));
  $("footer").textContent = data.footer;
  renderCauses();
  renderGrid();
  renderTrees();
  setUpCases();
  document.documentElement.dataset.ready = "1";
})();
