#!/usr/bin/env python3
"""A terminal screen as an SVG: `tmux capture-pane -e -p | docs/session.py > docs/session.svg`."""
import html
import re
import sys

LETTER, LINE, SIZE = 8.0, 18, 13
PALETTE = ["#1d1f21", "#cc6666", "#8ec07c", "#f0c674", "#81a2be", "#b294bb", "#8abeb7", "#c5c8c6"]
BRIGHT = ["#707880", "#ff8787", "#b8e994", "#ffe08a", "#a6c8ff", "#d7b8ff", "#a8e6df", "#ffffff"]


def colour(codes):
    """The colour of 38;5;N or 38;2;R;G;B, and how many codes it took."""
    if codes[0] == 2:
        return "#%02x%02x%02x" % tuple(codes[1:4]), 4
    number = codes[1]
    if number < 16:
        return (PALETTE + BRIGHT)[number], 2
    if number < 232:
        number -= 16
        steps = [0, 95, 135, 175, 215, 255]
        return "#%02x%02x%02x" % (steps[number // 36], steps[number // 6 % 6], steps[number % 6]), 2
    return "#%02x%02x%02x" % ((8 + 10 * (number - 232),) * 3), 2


def changed(style, codes):
    style, codes = dict(style), list(codes)
    while codes:
        code = codes.pop(0)
        if code == 0:
            style = {}
        elif code == 1:
            style["font-weight"] = "bold"
        elif code == 2:
            style["opacity"] = "0.65"
        elif code in (22, 39):
            style.pop("font-weight" if code == 22 else "fill", None)
            if code == 22:
                style.pop("opacity", None)
        elif 30 <= code <= 37:
            style["fill"] = PALETTE[code - 30]
        elif 90 <= code <= 97:
            style["fill"] = BRIGHT[code - 90]
        elif code in (38, 48):
            value, took = colour(codes)
            codes = codes[took:]
            if code == 38:
                style["fill"] = value
    return style


def main():
    lines = sys.stdin.read().rstrip("\n").split("\n")
    while lines and not re.sub(r"\x1b\[[0-9;]*m", "", lines[-1]).strip():
        lines.pop()
    style, rows, columns = {}, [], 0
    for row, line in enumerate(lines):
        column, spans = 0, []
        for part in re.split(r"(\x1b\[[0-9;]*m)", line):
            code = re.fullmatch(r"\x1b\[([0-9;]*)m", part)
            if code:
                style = changed(style, [int(number or 0) for number in code[1].split(";")])
            elif part:
                look = "".join(f' {name}="{value}"' for name, value in sorted(style.items()))
                text = part.strip()
                if text:
                    x = 16 + (column + len(part) - len(part.lstrip())) * LETTER
                    width = f'textLength="{len(text) * LETTER:g}" lengthAdjust="spacingAndGlyphs"'
                    # Viewers fold spaces, and few fonts have the client's corner.
                    shown = html.escape(text).replace("  ", "\u00a0\u00a0").replace("\u23bf", "\u2514")
                    spans.append(f'<text x="{x:g}" y="{30 + row * LINE}" {width}{look}>{shown}</text>')
                column += len(part)
        columns = max(columns, column)
        rows.extend(spans)
    width, height = 32 + columns * LETTER, 30 + len(lines) * LINE
    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height}" role="img" aria-label="A session in a terminal">')
    print('<rect width="100%" height="100%" rx="8" fill="#161821"/>')
    print(f'<g font-family="ui-monospace, Menlo, Consolas, monospace" font-size="{SIZE}" fill="#d8dbe2">')
    print("\n".join(rows))
    print("</g>\n</svg>")


if __name__ == "__main__":
    main()
