"""A reader of HTML that notices what browsers forgive."""

from __future__ import annotations

from html.parser import HTMLParser

VOID = {"meta", "link", "br", "hr", "img", "input", "col"}


class Element:
    """An element with its attributes, children and text."""

    def __init__(self, tag: str, attributes: dict[str, str | None]) -> None:
        self.tag, self.attributes = tag, attributes
        self.children: list[Element] = []
        self.text = ""

    def all(self, *tags: str) -> list[Element]:
        """Every descendant of these tags, in order."""
        out = []
        for child in self.children:
            if child.tag in tags:
                out.append(child)
            out.extend(child.all(*tags))
        return out

    def words(self) -> str:
        """All text in it."""
        return self.text + "".join(child.words() for child in self.children)


class Page(HTMLParser):
    """A document as a tree; `errors` lists tags that do not match."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element("document", {})
        self.open = [self.root]
        self.errors: list[str] = []
        self.elements: list[Element] = []
        self.feed(html)
        self.close()
        self.errors += [f"<{element.tag}> is not closed" for element in self.open[1:]]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, dict(attrs))
        if len(element.attributes) < len(attrs):
            self.errors.append(f"<{tag}> has an attribute twice")
        self.open[-1].children.append(element)
        self.elements.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, dict(attrs))
        self.open[-1].children.append(element)
        self.elements.append(element)

    def handle_endtag(self, tag: str) -> None:
        if self.open[-1].tag == tag:
            self.open.pop()
        else:
            self.errors.append(f"</{tag}> closes <{self.open[-1].tag}>")

    def handle_data(self, data: str) -> None:
        self.open[-1].text += data
