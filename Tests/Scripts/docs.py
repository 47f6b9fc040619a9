#!/usr/bin/env python3
"""Makes the reference of the public API. Fails if a declaration has no comment, DocC has a warning, or a public type is
not in the table of `Docs/Swift.md`.

    docs.py MODULES FOLDER

MODULES is the folder of a build with the compiled modules. FOLDER is made anew, and gets `MobileTracker.doccarchive`.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PUBLIC = ["TrackerJSON", "TrackerModels", "TrackerStorage", "TrackerNetworking", "TrackerCore", "TrackerTesting"]
SHIMS = ["CSQLite", "CCurl", "CZlib"]


def extract(modules, graphs):
    """Writes what each module declares, with its comments, and returns it by the path of its file."""
    target = json.loads(subprocess.check_output(["swiftc", "-print-target-info"]))["target"]["triple"]
    words = ["-target", target, "-minimum-access-level", "public", "-skip-synthesized-members", "-skip-inherited-docs"]
    for shim in SHIMS:
        words += ["-Xcc", f"-fmodule-map-file={modules.parent}/{shim}.build/module.modulemap"]
    for module in PUBLIC:
        paths = ["-I", modules, "-module-cache-path", graphs.parent / "cache", "-output-dir", graphs]
        subprocess.run(["swift-symbolgraph-extract", "-module-name", module, *words, *paths], check=True)
    return {path: json.loads(path.read_text()) for path in sorted(graphs.glob("*.symbols.json"))}


def undocumented(graph):
    """The declarations in our files that have no comment. What the compiler makes has no place in a file."""
    for symbol in graph["symbols"]:
        if "location" in symbol and "docComment" not in symbol:
            place = symbol["location"]
            path = pathlib.Path(place["uri"].removeprefix("file://")).relative_to(ROOT)
            yield f"{path}:{place['position']['line'] + 1}: {'.'.join(symbol['pathComponents'])} has no comment"


def unlisted(found):
    """The public types that the table of the products does not name, and the names in it that are none."""
    rows = re.findall(r"^\| `(\w+)` \|[^|]*\| (`[^|]*`) \|", (ROOT / "Docs/Swift.md").read_text(), re.MULTILINE)
    listed = {(module, name) for module, names in rows for name in re.findall(r"`(\w+)`", names)}
    types = {
        (graph["module"]["name"], symbol["pathComponents"][0])
        for path, graph in found.items() if "@" not in path.name
        for symbol in graph["symbols"] if len(symbol["pathComponents"]) == 1
    }
    yield from (f"Docs/Swift.md: {module}.{name} is public and not in the table" for module, name in types - listed)
    yield from (f"Docs/Swift.md: {module}.{name} is in the table and not public" for module, name in listed - types)


def link(graph, module, homes):
    """Names the module in links that lead out of this one: DocC looks no further than the module of the page."""

    def with_home(match):
        home = homes.get(match[1])
        return match[0] if home in (None, module) else f"``{home}/{match[0][2:]}"

    for symbol in graph["symbols"]:
        for line in symbol.get("docComment", {}).get("lines", []):
            line["text"] = re.sub(r"``(\w+)(?=[`/])", with_home, line["text"])


def main(modules, folder):
    shutil.rmtree(folder, ignore_errors=True)
    graphs = folder / "graphs"
    graphs.mkdir(parents=True)
    found = extract(modules, graphs)
    missing = [line for graph in found.values() for line in undocumented(graph)]
    strays = sorted(unlisted(found))
    print("\n".join(missing + strays + [f"{sum(len(graph['symbols']) for graph in found.values())} public declarations, "
                               f"{len(missing)} without a comment"]))
    if missing or strays:
        return 1
    homes = {
        symbol["pathComponents"][0]: graph["module"]["name"]
        for path, graph in found.items() if "@" not in path.name
        for symbol in graph["symbols"] if len(symbol["pathComponents"]) == 1
    }
    for path, graph in found.items():
        # "A@B" is what A adds to a type of B, on a page of B.
        link(graph, path.name.removesuffix(".symbols.json").split("@")[-1], homes)
        path.write_text(json.dumps(graph))
    return subprocess.run([
        "docc", "convert", ROOT / "Docs/API.docc", "--warnings-as-errors", "--additional-symbol-graph-dir", graphs,
        "--output-dir", folder / "MobileTracker.doccarchive", "--fallback-display-name", "MobileTracker",
        "--fallback-bundle-identifier", "mobile-tracker",
    ]).returncode


if __name__ == "__main__":
    sys.exit(main(*[pathlib.Path(word).resolve() for word in sys.argv[1:]]))
