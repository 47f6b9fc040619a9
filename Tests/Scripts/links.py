#!/usr/bin/env python3
"""Checks the pages: every relative link and anchor, every path of the repository that they name, and their first lines.

    links.py [FOLDER]

A page of Docs begins with its reader and the task: a paragraph "**For** …". The front page leads to every page.
"""
import pathlib
import re
import sys
import urllib.parse

SKIPPED = {".build", ".git", "dist", "node_modules"}
TOP = "Modules|BridgeHost|Benchmarks|Tests|Docs"
SOURCES = ["", "Modules", "Modules/TrackerCore", "BridgeHost"]


def pages(root):
    for path in sorted(root.rglob("*.md")):
        parts = path.relative_to(root).parts
        if not SKIPPED & set(parts) and not any(part.endswith(".docc") for part in parts):
            yield path


def prose(text):
    """The lines with their numbers, without fenced blocks."""
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced:
            yield number, line


def anchors(text):
    """What GitHub calls the headings, and what HTML names itself."""
    found = set(re.findall(r'\b(?:id|name)="([^"]+)"', text))
    seen = {}
    for _, line in prose(text):
        if match := re.match(r"#{1,6} +(.*?)(?: +#+)?$", line):
            title = re.sub(r"!?\[([^\]]*)\]\([^)]*\)|<[^>]+>", r"\1", match[1])
            slug = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
            found.add(slug if slug not in seen else f"{slug}-{seen[slug]}")
            seen[slug] = seen.get(slug, 0) + 1
    return found


def targets(line):
    """The links and pictures of a line; what stands in backquotes is none."""
    bare = re.sub(r"(`+).*?\1", "", line)
    yield from re.findall(r"\]\(\s*<?([^)\s>]+)", bare)
    yield from re.findall(r'\b(?:src|href)="([^"]+)"', bare)
    yield from re.findall(r"^ *\[[^\]]+\]: +(\S+)", bare)


def faults(root):
    texts = {path: path.read_text() for path in pages(root)}
    led_to = set()
    for path, text in texts.items():
        name = path.relative_to(root)
        for number, line in prose(text):
            for target in targets(line):
                if re.match(r"[a-z][a-z0-9+.-]*:", target):
                    continue
                file, _, anchor = urllib.parse.unquote(target).partition("#")
                aim = (path.parent / file).resolve() if file else path
                if not aim.exists():
                    yield f"{name}:{number}: {target} leads nowhere"
                    continue
                if path == root / "README.md":
                    led_to.add(aim)
                if anchor and aim.suffix == ".md":
                    if aim not in texts or anchor not in anchors(texts[aim]):
                        yield f"{name}:{number}: {target}: there is no such heading"
            for word in re.findall(rf"`((?:{TOP})/[\w./+@-]+)`", line):
                if not (root / word).exists():
                    yield f"{name}:{number}: there is no {word}"
            # Architecture names Swift files by their paths in a module.
            for word in re.findall(r"`([A-Z]\w*(?:/[A-Z][\w+]*)+)`", line) if name.name == "Architecture.md" else []:
                if not any((root / folder / f"{word}{end}").exists() for folder in SOURCES for end in ("", ".swift")):
                    yield f"{name}:{number}: there is no {word}"
        if path.parent == root / "Docs":
            paragraphs = text.split("\n\n")
            if len(paragraphs) < 2 or not paragraphs[1].startswith("**For** "):
                yield f"{name}: does not begin with its reader, a paragraph \"**For** …\""
    for path in texts:
        if path.parent == root / "Docs" and path not in led_to:
            yield f"{path.relative_to(root)}: no link of README.md leads here"
    if not texts:
        yield "there are no pages"


def main(root):
    found = list(faults(root))
    print("\n".join(found + [f"links: {len(list(pages(root)))} pages, {len(found)} faults"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve() if sys.argv[1:] else pathlib.Path(__file__).resolve().parents[2]))
