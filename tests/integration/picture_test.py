"""`gedge matrix show -o png` is the drawing of -o svg in pixels."""

import os
import pty
import struct
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
import zlib

GEDGE = os.environ["GEDGE"]
MATRIX = """from,to,p95_ms,estimated,upper_ms,suspicious
edge-1,edge-2,1.5,,,
edge-2,edge-1,3,,,true
edge-1,Zürich,,true,9,
Zürich,edge-2,900,,,
"""
BLACK, WHITE, GREY = "#000000", "#ffffff", "#c8c8c8"
SVG = "{http://www.w3.org/2000/svg}"


def show(path, look):
    run = subprocess.run([GEDGE, "matrix", "show", path, "-o", look], capture_output=True,
                         timeout=60, check=True)
    return run.stdout


def chunks(data):
    """(kind, bytes) of each chunk; their checksums are right."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at = 8
    while at < len(data):
        (size,) = struct.unpack(">I", data[at:at + 4])
        body = data[at + 4:at + 8 + size]
        assert struct.pack(">I", zlib.crc32(body)) == data[at + 8 + size:at + 12 + size]
        yield body[:4], body[4:]
        at += 12 + size


class Picture:
    """A PNG with a palette whose rows are stored as they are."""

    def __init__(self, data):
        parts = list(chunks(data))
        self.width, self.height, self.depth, kind, *rest = struct.unpack(">IIBBBBB", parts[0][1])
        assert parts[0][0] == b"IHDR" and parts[-1] == (b"IEND", b"")
        assert kind == 3 and rest == [0, 0, 0], (kind, rest)
        palette = dict(parts)[b"PLTE"]
        self.colours = ["#" + palette[i:i + 3].hex() for i in range(0, len(palette), 3)]
        bits = zlib.decompress(b"".join(body for kind, body in parts if kind == b"IDAT"))
        self.stride = (self.width * self.depth + 7) // 8 + 1
        assert len(bits) == self.stride * self.height
        assert not any(bits[::self.stride]), "a filter that this reader does not know"
        self.bits = bits

    def at(self, x, y):
        bit = x * self.depth
        byte = self.bits[y * self.stride + 1 + bit // 8]
        return self.colours[byte >> (8 - self.depth - bit % 8) & ((1 << self.depth) - 1)]

    def letters(self, left, top, right, bottom):
        """How many pixels of a place are ink."""
        return sum(self.at(x, y) == BLACK for y in range(top, bottom) for x in range(left, right))


class PictureTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = os.path.join(cls.folder.name, "rtt.csv")
        with open(cls.path, "w", encoding="utf-8") as stream:
            stream.write(MATRIX)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def compare(self, path):
        """Size and every square agree; returns both."""
        svg = ElementTree.fromstring(show(path, "svg"))
        png = Picture(show(path, "png"))
        self.assertEqual([svg.get("width"), svg.get("height")], [str(png.width), str(png.height)])
        squares = [rect for rect in svg.iter(SVG + "rect") if rect.get("x")]
        for rect in squares:
            x, y, side = (int(rect.get(key)) for key in ("x", "y", "width"))
            for corner in ((x, y), (x + side - 1, y), (x, y + side - 1),
                           (x + side - 1, y + side - 1)):
                self.assertEqual(png.at(*corner), rect.get("fill"), corner)
        return svg, png, squares

    def test_known_cells_have_the_colour_of_their_shade(self):
        svg, png, squares = self.compare(self.path)
        by_title = {rect[0].text: rect for rect in squares if len(rect)}
        self.assertEqual(len(by_title), 6)
        for title, colour in (("edge-1 > edge-2: 1.5ms", "#ffffcc"),
                              ("Zürich > edge-2: 900ms", "#b10026"),
                              ("edge-2 > Zürich: unmeasured", GREY)):
            rect = by_title[title]
            middle = int(rect.get("x")) + 7, int(rect.get("y")) + 7
            self.assertEqual(png.at(*middle), colour, title)
        marked = by_title["edge-2 > edge-1: 3ms, suspicious"]
        x, y = int(marked.get("x")), int(marked.get("y"))
        self.assertEqual(png.letters(x, y, x + 14, y + 14), 8)  # seven pixels and a dot
        self.assertEqual(png.at(0, 0), WHITE)

    def test_every_text_is_there_and_there_is_no_ink_elsewhere(self):
        svg, png, _ = self.compare(self.path)
        places = []
        for text in svg.iter(SVG + "text"):
            x, y, long = int(text.get("x")), int(text.get("y")), 6 * len(text.text)
            if text.get("transform"):
                places.append((x - 11, y - long + 1, x + 2, y + 1))
            elif text.get("text-anchor"):
                places.append((x - long, y - 11, x, y + 2))
            else:
                places.append((x, y - 11, x + long, y + 2))
        ink = [png.letters(*place) for place in places]
        self.assertGreater(min(ink), 0)
        self.assertEqual(sum(ink), png.letters(0, 0, png.width, png.height))

    def test_thousands_of_names_make_no_larger_picture(self):
        path = os.path.join(self.folder.name, "many.csv")
        names = [f"n{i:04}" for i in range(1500)]
        with open(path, "w", encoding="utf-8") as stream:
            stream.write("from," + ",".join(names) + "\n")
            for i, name in enumerate(names):
                row = ("" if j < i else str(1 + j - i) for j in range(len(names)))
                stream.write(name + "," + ",".join(row) + "\n")
        _, png, squares = self.compare(path)
        self.assertLessEqual(png.width, 256 * 4 + 20)
        self.assertLessEqual(png.height, 256 * 4 + 50)
        self.assertGreater(len(squares), 200 * 200)

    def test_nothing_measured_is_a_picture_too(self):
        path = os.path.join(self.folder.name, "two.csv")
        with open(path, "w", encoding="utf-8") as stream:
            stream.write("from,a,b\na,0,\nb,,0\n")
        self.assertEqual(len([r for r in self.compare(path)[2] if r.get("fill") == GREY]), 3)

    def test_a_terminal_is_sent_none(self):
        parent, child = pty.openpty()
        try:
            run = subprocess.run([GEDGE, "matrix", "show", self.path, "-o", "png"], stdout=child,
                                 stderr=subprocess.PIPE, timeout=60, check=False)
        finally:
            os.close(child)
            os.close(parent)
        self.assertEqual(run.returncode, 2)
        self.assertEqual(run.stderr.decode(), "gedge: error: a terminal cannot show a PNG file\n"
                                              "  fix: send it to one: `-o png > rtt.png`\n")


if __name__ == "__main__":
    unittest.main()
