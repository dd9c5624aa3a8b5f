"""A safe parser for the XML of missions and drawings: no document type, hence no custom entities
and nothing fetched; depth and number of elements are limited."""

from collections.abc import Iterator
from xml.parsers import expat

import msgspec

DEPTH, ELEMENTS = 16, 20_000


class BadMarkup(ValueError):
    """The text is invalid XML, or not accepted here; the sentence has the reason."""


class Element(msgspec.Struct):
    """``name`` and the names of attributes are without namespace."""

    name: str
    attributes: dict[str, str]
    children: list["Element"] = []
    text: str = ""

    def all(self, name: str) -> Iterator["Element"]:
        """Every element of that name below this one, in order."""
        for child in self.children:
            if child.name == name:
                yield child
            yield from child.all(name)

    def first(self, name: str) -> "Element | None":
        return next(self.all(name), None)


def parse(text: bytes) -> Element:
    """The root element.

    Raises:
        BadMarkup: not well-formed, with a document type, too deep or too large.
    """
    roots: list[Element] = []
    open_elements: list[Element] = []
    count = 0

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal count
        count += 1
        if len(open_elements) >= DEPTH or count > ELEMENTS:
            raise BadMarkup(f"the XML has more than {DEPTH} levels or {ELEMENTS} elements")
        element = Element(_local(name), {_local(key): value for key, value in attributes.items()})
        (open_elements[-1].children if open_elements else roots).append(element)
        open_elements.append(element)

    def end(name: str) -> None:
        open_elements.pop()

    def characters(data: str) -> None:
        open_elements[-1].text += data

    def refuse(*_: object) -> None:
        raise BadMarkup("the XML has a document type, for which there is no use")

    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = characters
    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
    try:
        parser.Parse(text, True)
    except LookupError as error:
        raise BadMarkup(f"the XML has an encoding that cannot be read: {error}") from None
    except BadMarkup:  # a ValueError, too
        raise
    except (expat.ExpatError, ValueError) as error:
        raise BadMarkup(f"the XML is not well-formed: {error}") from None
    return roots[0]


def _local(name: str) -> str:
    return name.rpartition(" ")[2]
