"""Check that every link inside a built site leads somewhere: ``python docs/machinery/check_links.py FOLDER``.

Pages, anchors, pictures, scripts and styles are looked up; addresses with a scheme are left alone.
"""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

ADDRESSES = {"a": "href", "link": "href", "img": "src", "script": "src", "iframe": "src"}


class _Page(HTMLParser):
    """The anchors of a page, and the addresses it refers to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.addresses: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.anchors |= {name for name in (given.get("id"), given.get("name")) if name}
        if address := given.get(ADDRESSES.get(tag, "")):
            self.addresses.append(address)


def broken_links(site: Path) -> list[str]:
    """What leads nowhere, as "page: address"."""
    pages = {path.resolve(): _Page(path.read_text(encoding="utf-8")) for path in _pages(site)}
    broken = []
    for path, page in pages.items():
        for address in page.addresses:
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if target.is_dir():
                target /= "index.html"
            anchor = unquote(parts.fragment)
            lost = not target.exists() or (anchor and target in pages and anchor not in pages[target].anchors)
            if lost:
                broken.append(f"{path.relative_to(site.resolve())}: {address}")
    return broken


def _pages(site: Path) -> list[Path]:
    return [path for path in sorted(site.rglob("*.html")) if "_static" not in path.relative_to(site).parts]


def main() -> None:
    """Print what leads nowhere, and end with 1 if there is any."""
    site = Path(sys.argv[1])
    broken = broken_links(site)
    for line in broken:
        print(line)
    pages = len(_pages(site))
    if not pages:
        sys.exit(f"{site} has no pages.")
    print(f"{pages} pages, {len(broken)} links that lead nowhere")
    sys.exit(bool(broken))


if __name__ == "__main__":
    main()
