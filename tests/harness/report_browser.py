#!/usr/bin/env python3
"""Opens a page of `samebits report` in headless Chromium and uses it: report_browser.py PAGE [PNG].

The page is copied with a script of the test in it, which folds, filters, changes the theme and asks
for every PNG, and leaves what it saw in the document; --dump-dom brings it back. Exit status 77
without a browser. Prints one JSON object; with PNG also takes a picture of the untouched page.
"""
import html
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

MAX_BYTES = 5_000_000

WATCH = """<script>
window.seen = { errors: [], pngs: 0, requests: 0 };
addEventListener("error", (e) => seen.errors.push(String(e.message)));
addEventListener("unhandledrejection", (e) => seen.errors.push(String(e.reason)));
const complain = console.error;
console.error = (...words) => { seen.errors.push(words.join(" ")); complain(...words); };
HTMLCanvasElement.prototype.toBlob = function (done) {
  if (this.width > 0 && this.toDataURL("image/png").startsWith("data:image/png")) ++seen.pngs;
};
</script>
"""

USE = """<script>
(async () => {
  const rows = () => document.querySelectorAll("#case-table tbody tr").length;
  const found = () => parseInt(document.getElementById("found").textContent.replace(/,/g, ""));
  const input = (id, value) => {
    const node = document.getElementById(id);
    node.value = value;
    node.dispatchEvent(new Event("input"));
  };
  const pause = (ms) => new Promise((done) => setTimeout(done, ms));
  seen.ready = document.documentElement.dataset.ready === "1";
  seen.cases = found();
  seen.rows = rows();
  const cards = [...document.querySelectorAll("details.card")];
  seen.cards = cards.length;
  seen.open_at_first = cards.filter((card) => card.open).length;
  for (const card of cards) card.open = true;
  await pause(200);
  seen.unfolded = cards.filter((card) => card.querySelector(".body").hasChildNodes()).length;
  seen.figures = document.querySelectorAll("figure").length;
  seen.pictures = document.querySelectorAll("figure svg, figure canvas").length;
  for (const button of document.querySelectorAll("figure .png")) button.click();
  await pause(3000);
  for (const select of document.querySelectorAll("figure select")) {
    select.selectedIndex = select.options.length - 1;
    select.dispatchEvent(new Event("change"));
  }
  const tall = cards[0].offsetHeight;
  cards[0].open = false;
  await pause(50);
  seen.folded = cards[0].offsetHeight < tall / 2;
  input("verdict-filter", "divergent");
  seen.divergent = found();
  input("verdict-filter", "");
  input("find", "no-such-word");
  seen.nothing = found();
  input("find", "");
  const cell = document.querySelector("#grid-table button");
  if (cell) cell.click();
  seen.of_cell = found();
  document.getElementById("theme").click();
  seen.theme = document.documentElement.dataset.theme;
  document.getElementById("theme").click();
  seen.theme_back = document.documentElement.dataset.theme;
  seen.requests = performance.getEntriesByType("resource").filter((e) => !/^(data|blob):/.test(e.name)).length;
  const note = document.createElement("pre");
  note.id = "seen";
  note.textContent = JSON.stringify(seen);
  document.body.append(note);
})();
</script>
"""

TIME = """<script>
addEventListener("load", () => {
  const note = document.createElement("pre");
  note.id = "seen";
  note.textContent = JSON.stringify({ milliseconds: performance.now() });
  document.body.append(note);
});
</script>
"""


def browser():
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    return next((path for path in map(shutil.which, names) if path), None)


def run(program, folder, page, *options):
    command = [program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
               "--hide-scrollbars", "--allow-file-access-from-files",
               f"--user-data-dir={folder}/profile", *options, page.as_uri()]
    return subprocess.run(command, capture_output=True, text=True, timeout=280, check=False,
                          env={**os.environ, "HOME": str(folder)})


def visit(program, folder, page, script, *options):
    text = page.read_text()
    copy = folder / "page.html"
    copy.write_text(text.replace("<head>", "<head>" + WATCH, 1).replace("</body>", script + "</body>"))
    result = run(program, folder, copy, "--dump-dom", *options)
    left = re.search(r'<pre id="seen">(.*?)</pre>', result.stdout, re.S)
    if not left:
        sys.exit(f"the page left nothing: {result.stdout[-300:]} {result.stderr[-1500:]}")
    return json.loads(html.unescape(left.group(1)))


def check(seen, page):
    text = page.read_text()
    size = page.stat().st_size
    rules = {
        "it renders": seen["ready"] and seen["cards"] > 0 and seen["figures"] > 0,
        "every figure has a picture": seen["figures"] == seen["pictures"],
        "the first cause is open": seen["open_at_first"] >= 1,
        "every card unfolds": seen["unfolded"] == seen["cards"],
        "a card folds": seen["folded"],
        "every figure makes a PNG": seen["pngs"] == seen["figures"],
        "the verdict filters": 0 < seen["divergent"] <= seen["cases"],
        "a word filters": seen["nothing"] == 0,
        "a cell filters": 0 < seen["of_cell"] <= seen["cases"],
        "the theme changes and comes back": {seen["theme"], seen["theme_back"]} == {"light", "dark"},
        "no console error": not seen["errors"],
        "nothing is loaded": seen["requests"] == 0 and not re.search(r'(src|href)="https?:', text),
        "under 5 MB": size < MAX_BYTES,
    }
    return [rule for rule, holds in rules.items() if not holds]


def main():
    program = browser()
    if program is None:
        print("no Chromium here")
        return 77
    page = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        seen = visit(program, folder, page, USE, "--virtual-time-budget=20000")
        seen["load_ms"] = round(visit(program, folder, page, TIME)["milliseconds"])
        seen["bytes"] = page.stat().st_size
        if len(sys.argv) > 2:
            run(program, folder, page, f"--screenshot={sys.argv[2]}", "--window-size=1180,1500",
                "--virtual-time-budget=3000")
    failed = check(seen, page)
    print(json.dumps({**seen, "failed": failed}))
    return 1 if failed else 0


sys.exit(main())
