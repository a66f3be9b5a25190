"""What of a page may be wider than a screen of 400 pixels: a line for each, none if it fits.

narrow.py PAGE: by its rules and marks alone, without a browser.
narrow.py --browser PAGE: as chromium lays it out. Prints "no browser" where none is installed.

The rules: a length above 400 pixels only where 100% bounds it; a picture as wide as its room at most; a table in a box
that scrolls, if it is no list on narrow screens; nothing that forbids breaking lines outside such a box; a word of more
than 40 letters only where it may be broken anywhere; as wide as the device says.
"""
import html
import html.parser
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SCREEN = 400
VOID = {"meta", "link", "br", "img", "hr", "input", "col", "rect", "path", "circle", "line", "use"}


def rules_of(css):
    """(selector, declarations) that hold on a screen of this width, in their order."""
    found, at = [], 0
    while (brace := css.find("{", at)) >= 0:
        head, depth, end = css[at:brace].strip(), 1, brace + 1
        while depth:
            depth += {"{": 1, "}": -1}.get(css[end], 0)
            end += 1
        body = css[brace + 1:end - 1]
        if head.startswith("@media"):
            most = re.search(r"max-width:\s*(\d+)px", head)
            least = re.search(r"min-width:\s*(\d+)px", head)
            applies = "print" not in head and not (most and int(most[1]) < SCREEN) and not (least and int(least[1]) > SCREEN)
            found += rules_of(body) if applies else []
        elif not head.startswith("@"):
            declared = {k.strip(): v.strip() for k, _, v in (d.partition(":") for d in body.split(";")) if v}
            found += [(s.strip(), declared) for s in head.split(",")]
        at = end
    return found


def pixels(length):
    match = re.fullmatch(r"(-?[\d.]+)(px|rem|em|vw)?", length)
    return float(match[1]) * {"px": 1, "rem": 16, "em": 16, "vw": 4, None: 1}[match[2]] if match else 0


class Element:
    def __init__(self, tag, attributes, parent, rules):
        self.tag, self.attributes, self.parent = tag, dict(attributes), parent
        self.classes = (self.attributes.get("class") or "").split()
        self.style = {}
        for selector, declared in rules:
            if self.meets(selector):
                self.style.update(declared)
        self.style.update({k.strip(): v.strip() for k, _, v in
                           (d.partition(":") for d in (self.attributes.get("style") or "").split(";")) if v})

    def meets(self, selector):
        *above, own = selector.replace(" + ", " ").split()
        if "::" in own or not self.meets_alone(own.split(":")[0]):
            return False
        element = self.parent
        for part in reversed(above):
            while element and not element.meets_alone(part.split(":")[0]):
                element = element.parent
            if not element:
                return False
            element = element.parent
        return True

    def meets_alone(self, simple):
        tag = re.match(r"[\w*]*", simple)[0]
        classes = re.findall(r"\.([\w-]+)", simple)
        asked = dict(re.findall(r"\[([\w-]+)=\"?([\w-]+)\"?\]", simple))
        return (tag in ("", "*", self.tag) and set(classes) <= set(self.classes)
                and all(self.attributes.get(k) == v for k, v in asked.items()) and bool(simple))

    def line(self):
        element = self
        while element:
            yield element
            element = element.parent

    def is_within(self, wanted):
        return any(wanted(e) for e in self.line())

    def inherited(self, name):
        return next((e.style[name] for e in self.line() if name in e.style), None)


def scrolls(element):
    return element.style.get("overflow-x", element.style.get("overflow")) in ("auto", "scroll", "hidden")


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.rules = [r for css in re.findall(r"<style[^>]*>(.*?)</style>", text, re.S) for r in rules_of(css)]
        self.open, self.found, self.viewport = None, [], False
        self.feed(text)
        if not self.viewport:
            self.found.append("no viewport of the device's width")

    def say(self, element, what):
        self.found.append(f"<{element.tag}{' class=' + ' '.join(element.classes) if element.classes else ''}>: {what}")

    def handle_starttag(self, tag, attributes):
        element = Element(tag, attributes, self.open, self.rules)
        self.viewport |= tag == "meta" and "width=device-width" in (element.attributes.get("content") or "")
        if not element.is_within(lambda e: e.tag in ("head", "svg") and e is not element):
            self.look_at(element)
        if tag not in VOID:
            self.open = element

    def handle_startendtag(self, tag, attributes):
        before = self.open
        self.handle_starttag(tag, attributes)
        self.open = before

    def handle_endtag(self, tag):
        while self.open and self.open.tag != tag:
            self.open = self.open.parent
        self.open = self.open.parent if self.open else None

    def look_at(self, element):
        style = element.style
        outside = not element.is_within(lambda e: scrolls(e) and e is not element)
        bounded = pixels(style.get("max-width", "")) in range(1, SCREEN + 1) or style.get("max-width") == "100%"
        for name in ("width", "min-width", "flex-basis", "left", "margin-left", "text-indent"):
            if pixels(style.get(name, "")) > SCREEN and outside and not (name == "width" and bounded):
                self.say(element, f"{name} is {style[name]}")
        if element.tag not in ("img", "svg") and pixels(element.attributes.get("width") or "") > SCREEN and outside:
            self.say(element, f"width is {element.attributes['width']}")
        if element.tag in ("img", "svg", "video", "iframe", "canvas", "object") and not bounded and style.get("width") != "100%":
            self.say(element, "may be wider than its room")
        for least in re.findall(r"minmax\(([^(),]+),", style.get("grid-template-columns", "")):
            if pixels(least) > SCREEN - 40:
                self.say(element, f"a column of {least} at least")
        if element.tag == "table" and outside and style.get("display") != "block":
            self.say(element, "in no box that scrolls")
        if element.tag == "pre" and outside and style.get("white-space", "pre") == "pre":
            self.say(element, "lines that are not broken, in no box that scrolls")

    def handle_data(self, data):
        here = self.open
        if here is None or here.is_within(lambda e: e.tag in ("head", "style", "svg") or scrolls(e)):
            return
        if here.inherited("white-space") == "nowrap" and len(data.strip()) > 40:
            self.say(here, f"a line that is not broken: {data.strip()[:30]}")
        words = [w for w in re.split(r"[\s\u200b-]+", data) if len(w) > 40]
        if words and here.inherited("overflow-wrap") != "anywhere":
            self.say(here, f"a word that is not broken: {words[0][:30]}")


def laid_out(text):
    browser = next((b for b in ("chromium", "chromium-browser", "google-chrome") if shutil.which(b)), None)
    if browser is None:
        return ["no browser"]
    text = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", text)
    around = f"""<!DOCTYPE html><iframe id="page" width="{SCREEN}" height="800" style="border:0" srcdoc="{html.escape(text)}"></iframe>
<script>onload = () => {{ const page = document.getElementById('page').contentDocument.documentElement;
  const wide = [...page.querySelectorAll('*')].filter(e => e.getBoundingClientRect().right > {SCREEN} + 1
    && !e.closest('.wide, .drawing') && !e.closest('svg svg, svg *')).slice(0, 3).map(e => e.tagName + '.' + e.className);
  document.body.textContent = 'measured ' + page.scrollWidth + ' ' + wide.join(' '); }}</script>"""
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder, "page.html")
        page.write_text(around)
        done = subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/profile",
                               "--virtual-time-budget=2000", "--dump-dom", page.as_uri()],
                              capture_output=True, text=True, timeout=120)
    measured = re.search(r"measured (\d+) (.*?)</body>", done.stdout, re.S)
    if not measured:
        return ["chromium measured nothing: " + done.stderr[-300:]]
    return [] if int(measured[1]) <= SCREEN else [f"{measured[1]} pixels: {measured[2].strip()}"]


def main():
    text = pathlib.Path(sys.argv[-1]).read_text()
    for line in laid_out(text) if sys.argv[1] == "--browser" else Page(text).found:
        print(line)


main()
