#!/usr/bin/env python3
"""Follows every link of a built book that leads to one of its own files.

    .ci/links.py FOLDER

A page, a picture or an anchor that is not there is named, and the exit code is 1.
"""

import html.parser
import pathlib
import sys
import urllib.parse

# Pages that the book makes of others: their links are those of the others.
MADE = {"print.html", "404.html", "toc.html"}


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.links, self.anchors = [], set()
        self.feed(text)

    def handle_starttag(self, _tag, attributes):
        for name, value in attributes:
            if name == "id":
                self.anchors.add(value)
            elif name in ("href", "src") and value:
                self.links.append(value)


def leads_nowhere(file, link, pages):
    address = urllib.parse.urlsplit(link)
    path = urllib.parse.unquote(address.path)
    target = (file.parent / path).resolve() if path else file
    if not target.exists():
        return True
    anchor = urllib.parse.unquote(address.fragment)
    return bool(anchor and target in pages and anchor not in pages[target].anchors)


def main(folder):
    root = pathlib.Path(folder).resolve()
    pages = {file: Page(file.read_text()) for file in root.rglob("*.html")}
    followed, broken = 0, 0
    for file, page in sorted(pages.items()):
        if file.name in MADE:
            continue
        for link in page.links:
            if urllib.parse.urlsplit(link).scheme:
                continue
            followed += 1
            if leads_nowhere(file, link, pages):
                broken += 1
                print(f"{file.relative_to(root)}: `{link}` leads nowhere")
    print(f"the book: {len(pages)} pages, {followed} links followed, {broken} broken")
    return 1 if broken or not followed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
