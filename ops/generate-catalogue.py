#!/usr/bin/env python3
"""Writes the catalogue of events and rows in Schema/README.md from the comments of Schema/proto.

Flow: .proto files -> messages with their comments -> two regions of Schema/README.md, each between
`<!-- begin generated: NAME -->` and `<!-- end generated: NAME -->`. Everything outside them is written by hand.

What a comment says is what the catalogue says. A message of focus/events/v1 is an event when its comment begins
`type.name: `; the sentences `Scope: …`, `Envelope app: …`, `Refused: …` and `Appended by the server alone …` go to
their places. A message of a *rows.proto is a row when its comment begins "Collection `name`, key …: " or
"Collection `name`: "; `App: …` tells whether its rows are of an app. `Apple: name.` at the end of any comment is what
Apple's frameworks call it: a column of its own in tables where one is. Other messages are shown where they are first
used. A file's comment is shown before its events. Examples are the JSON of Schema/samples/examples.txt, else of the newest events_v*.txt.

Usage:   ops/generate-catalogue.py            write
         ops/generate-catalogue.py --check    write nothing; exit 1 when the catalogue is out of date
         ops/generate-catalogue.py --root D   another checkout than this script's
Exit codes: 0 done, 1 out of date or a file that cannot be used, 2 usage.
"""

import argparse
import pathlib
import re
import sys
import textwrap

TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"|[A-Za-z_][\w.]*|-?\d\w*|[^\s\w]|\n', re.DOTALL)
EVENT = re.compile(r"([a-z][A-Za-z]*\.[a-z][A-Za-z]*)(?: \(([^)]*)\))?: (.*)", re.DOTALL)
ROW = re.compile(r"Collection `([a-z_]+)`(?:, key:? (`[^`]*`|\"[^\"]*\"|[^.:]*?)(?:: |\. |\.$)|: )(.*)", re.DOTALL)
CLAUSE = re.compile(r"(?<!\S)(Scope: |Envelope app: |Refused: |App: |Key: |Apple: |Appended by the server alone)")
APPLE = re.compile(r"(?:^|\s+)Apple: (\S+)\.$")
CODE = re.compile(r"(?<![\w`.])[a-z]+(?:_[a-z]+)+(?![\w`])")
ENUM_VALUE = re.compile(r"\w+ = -?\w+(?: \[ .* \])?")
FIELD = re.compile(r"(?:(?:optional |repeated )?[\w.]+|map < \w+ , [\w.]+ >) \w+ = \d+(?: \[ .* \])?")
SCALARS = {"string": "text", "bytes": "bytes", "bool": "bool", "double": "number", "float": "number"}
# How a row's comment says that some of its rows are of an app and some are not.
PARTLY = re.compile(r"without an app|with an app is", re.IGNORECASE)
WIDTH = 120


class Unusable(Exception):
    pass


class Node:
    """A message, enum or file: its name within the package, its comment, and what it holds."""

    def __init__(self, kind, name, comment, parent=None):
        self.kind, self.name, self.comment, self.parent = kind, name, comment, parent
        self.fields, self.values, self.children = [], [], {}
        self.path = f"{parent.path}.{name}" if parent is not None and parent.kind == "message" else name


class Field:
    def __init__(self, name, type_, label, comment, oneof):
        self.name, self.type, self.label, self.comment, self.oneof = name, type_, label, comment, oneof

    @property
    def json(self):
        first, *rest = self.name.split("_")
        return first + "".join(part[:1].upper() + part[1:] for part in rest)


class Parser:
    """Reads the proto3 that this project writes: no options with braces, no services, no extensions."""

    def __init__(self, path, text):
        self.path, self.tokens, self.place = path, TOKEN.findall(text), 0
        self.header, self.comment, self.blank = [], [], 0

    def file(self):
        root = Node("file", self.path.stem, [])
        self.body(root, None)
        root.comment = self.header
        return root

    def next(self):
        """The next token; comments that stand alone before it are in `self.comment`, a paragraph per empty line."""
        while self.place < len(self.tokens):
            token = self.tokens[self.place]
            self.place += 1
            if token == "\n":
                self.blank += 1
                # An empty line parts a comment from what follows.
                if self.blank > 1:
                    self.comment = []
            elif token.startswith("//"):
                self.blank = 0
                self.comment.append(token[2:].strip())
            elif token.startswith("/*"):
                raise Unusable(f"{self.path}: write comments with //")
            else:
                self.blank = 0
                return token
        return None

    def expect(self, wanted):
        token = self.next()
        if token != wanted:
            raise Unusable(f"{self.path}: {wanted!r} expected, found {token!r}")

    def statement(self, first):
        tokens = [first]
        while tokens[-1] != ";":
            token = self.next()
            if token is None:
                raise Unusable(f"{self.path}: ends in the middle of {' '.join(tokens)!r}")
            tokens.append(token)
        return tokens[:-1]

    def take_comment(self):
        comment, self.comment = self.comment, []
        return comment

    def end_of_line_comment(self):
        """A comment behind a statement on its line belongs to it."""
        if self.place < len(self.tokens) and self.tokens[self.place].startswith("//"):
            self.place += 1
            return [self.tokens[self.place - 1][2:].strip()]
        return []

    def body(self, node, oneof):
        while True:
            token = self.next()
            if token is None or token == "}":
                if (token is None) != (node.kind == "file"):
                    raise Unusable(f"{self.path}: braces do not match")
                self.take_comment()
                return
            comment = self.take_comment()
            if token in ("message", "enum"):
                child = Node(token, self.next(), comment, node)
                self.expect("{")
                self.body(child, None)
                node.children[child.name] = child
            elif token == "oneof":
                name = self.next()
                self.expect("{")
                self.body_of_oneof(node, name)
            elif token == "syntax":
                self.header = comment
                self.statement(token)
            elif token in ("package", "import", "option", "reserved"):
                self.statement(token)
            elif token != ";":
                tokens = self.statement(token)
                self.member(node, tokens, comment + self.end_of_line_comment(), oneof)

    def body_of_oneof(self, node, name):
        inner = Node("message", node.name, [], None)
        self.body(inner, name)
        node.fields += inner.fields

    def member(self, node, tokens, comment, oneof):
        shape = ENUM_VALUE if node.kind == "enum" else FIELD
        if node.kind == "file" or not shape.fullmatch(" ".join(tokens)):
            raise Unusable(f"{self.path}: what is {' '.join(tokens)!r}?")
        if node.kind == "enum":
            node.values.append((tokens[0], comment))
            return
        label = tokens.pop(0) if tokens[0] in ("optional", "repeated") else None
        if tokens[0] == "map":
            end = tokens.index(">")
            key, value = "".join(tokens[2:end]).split(",")
            node.fields.append(Field(tokens[end + 1], (key, value), "map", comment, oneof))
        else:
            node.fields.append(Field(tokens[1], tokens[0], label, comment, oneof))


class Protos:
    """All files, and how a name is found from within a message."""

    def __init__(self, folder):
        self.files = {}
        for path in sorted(folder.rglob("*.proto")):
            self.files[path.relative_to(folder).as_posix()] = Parser(path, path.read_text("utf-8")).file()
        self.field_names = set()
        for file in self.files.values():
            self.collect(file)

    def collect(self, node):
        self.field_names.update(field.name for field in node.fields)
        for child in node.children.values():
            self.collect(child)

    def find(self, name, scope):
        """The message or enum, or None for a scalar. Inner scopes first, as protobuf has it."""
        if name in SCALARS or re.fullmatch(r"[su]?(int|fixed)(32|64)|sfixed(32|64)", name):
            return None
        parts = re.sub(r"^\.?focus\.(events|sync)\.v1\.", "", name).split(".")
        places = []
        while scope is not None:
            places.append(scope)
            scope = scope.parent
        for place in places + list(self.files.values()):
            found = place
            for part in parts:
                found = found.children.get(part) if found is not None else None
            if found is not None:
                return found
        raise Unusable(f"{name} is a type of no .proto file")


def joined(comment):
    """Lines to running text; an empty line parts paragraphs."""
    return [" ".join(part.split("\n")) for part in "\n".join(comment).split("\n\n") if part.strip()]


def parted(comment):
    """A comment without its last clause `Apple: name.`, and the name; None when it has none."""
    text = " ".join(joined(comment))
    match = APPLE.search(text)
    return (text[:match.start()], match[1]) if match else (text, None)


def capitalized(text):
    return text[:1].upper() + text[1:]


def wrapped(text):
    return textwrap.fill(text, WIDTH, break_long_words=False, break_on_hyphens=False)


class Clauses:
    """A comment taken apart: what it says, and the sentences that have places of their own."""

    def __init__(self, text):
        parts = CLAUSE.split(text)
        self.text = parts[0].strip()
        self.of = {}
        for name, rest in zip(parts[1::2], parts[2::2]):
            self.of[name.rstrip(": ")] = rest.strip()

    def get(self, name):
        return self.of.get(name)

    @property
    def apple(self):
        return self.of["Apple"].rstrip(".") if "Apple" in self.of else None


class Catalogue:
    def __init__(self, root):
        schema = root / "Schema"
        self.readme = schema / "README.md"
        self.text = self.readme.read_text("utf-8")
        self.protos = Protos(schema / "proto")
        self.codes = self.explained_codes()
        self.examples = self.read_examples(schema / "samples")
        self.shown = set()

    def explained_codes(self):
        """Those of the hand-written section "Refusal codes": what is no code there is none here."""
        match = re.search(r"\n### Refusal codes\n(.*?)(?=\n##)", self.text, re.DOTALL)
        if not match:
            raise Unusable(f"{self.readme}: has no section \"Refusal codes\"")
        cells = re.findall(r"^\| ([^|]*) \|", match[1], re.MULTILINE)
        return set(re.findall(r"`([a-z]+(?:_[a-z]+)*)`", " ".join(cells)))

    def read_examples(self, folder):
        examples = {}
        versions = sorted(folder.glob("events_v*.txt"), key=lambda path: int(re.sub(r"\D", "", path.stem) or 0))
        for path in versions:
            for line in self.lines(path):
                type_, _, json = line.split(" ", 2)
                examples[type_] = json
        if (folder / "examples.txt").exists():
            for line in self.lines(folder / "examples.txt"):
                type_, json = line.split(" ", 1)
                examples[type_] = json
        return examples

    @staticmethod
    def lines(path):
        return [line for line in path.read_text("utf-8").split("\n") if line.strip() and not line.startswith("#")]

    # Text

    def marked(self, text):
        """Refusal codes as code; what would be markup is not."""
        codes = self.codes - self.protos.field_names
        parts = re.split(r"(`[^`]*`)", text)
        for index in range(0, len(parts), 2):
            parts[index] = re.sub(r"([<*])", r"\\\1", parts[index])
            parts[index] = CODE.sub(lambda word: f"`{word[0]}`" if word[0] in codes else word[0], parts[index])
        return "".join(parts)

    def cell(self, text):
        return self.marked(text).replace("|", "\\|")

    def codes_in(self, text, strict=None):
        found = []
        for word in CODE.findall(text):
            if word in self.protos.field_names or word in found:
                continue
            if word in self.codes:
                found.append(word)
            elif strict:
                raise Unusable(f"{strict}: Refused names {word}, which \"Refusal codes\" does not explain")
        return found

    def type_of(self, field, node):
        if field.label == "map":
            return " → ".join(self.plain(part, node) for part in field.type)
        text = self.plain(field.type, node)
        if field.label == "repeated":
            return f"list of {text}"
        return f"{text}, optional" if field.label == "optional" else text

    def plain(self, name, node):
        target = self.protos.find(name, node)
        if target is None:
            return SCALARS.get(name, name)
        if target.kind == "message":
            return f"[{target.path}](#{re.sub(r'[^a-z0-9]', '', target.path.lower())})"
        return " ".join(f"`{value}`" for value, _ in target.values if not value.endswith("UNSPECIFIED"))

    def fields(self, node):
        """Tables of a message's fields and of the enums in them, and the messages that they are of."""
        if not node.fields:
            return [], []
        lines = self.table(
            ["Field", "Type"], "Meaning, unit, range",
            [([f"`{field.json}`", self.type_of(field, node)], *parted(field.comment)) for field in node.fields])
        enums, parts = {}, []
        for field in node.fields:
            for name in field.type if field.label == "map" else [field.type]:
                target = self.protos.find(name, node)
                if target is not None and target.kind == "message":
                    parts.append(target)
                elif target is not None:
                    enums.setdefault(id(target), (target, []))[1].append(f"`{field.json}`")
        for name in dict.fromkeys(field.oneof for field in node.fields if field.oneof):
            names = [f"`{field.json}`" for field in node.fields if field.oneof == name]
            lines += ["", wrapped(f"At most one of {', '.join(names)} is there.")]
        for enum, names in enums.values():
            lines += self.values(", ".join(names), enum)
        return lines, parts

    def table(self, heads, last, rows):
        """Rows of cells, what is said of them, and Apple's name, which gets a column where any of them has one."""
        has_names = any(name for _, _, name in rows)
        heads = heads + ["Apple's name"] * has_names + [last]
        lines = [self.row(*heads), self.row(*["---"] * len(heads))]
        for cells, text, name in rows:
            lines.append(self.row(*cells, *[self.name(name)] * has_names, self.cell(text)))
        return lines

    @staticmethod
    def name(name):
        return f"`{name}`" if name else ""

    @staticmethod
    def row(*cells):
        return "|" + "|".join(f" {cell} " if cell else " " for cell in cells) + "|"

    def values(self, names, enum):
        """Of the enum of these fields: the values that say more than their names do."""
        about = " ".join(joined(enum.comment))
        if not any(comment for _, comment in enum.values):
            return ["", wrapped(self.marked(f"{names}: {about}"))] if about else []
        rows = []
        for value, comment in enum.values:
            text, name = parted(comment)
            if not text and not name:
                continue
            if value.endswith("UNSPECIFIED"):
                rows.append((["absent"], capitalized(re.sub(r"^Absent: ", "", text)), name))
            else:
                rows.append(([f"`{value}`"], text, name))
        return [""] + self.table([f"Value of {names}"], self.cell(about) or "Meaning", rows)

    def parts(self, nodes):
        """The messages that fields are of, each once, with theirs."""
        lines = []
        for node in nodes:
            if id(node) in self.shown:
                continue
            self.shown.add(id(node))
            lines += ["", f"#### {node.path}"]
            for paragraph in joined(node.comment):
                about, name = parted([paragraph])
                lines += ["", wrapped(self.marked(self.with_name(about, name)))]
            fields, inner = self.fields(node)
            lines += [""] + fields if fields else []
            lines += self.parts(inner)
        return lines

    @staticmethod
    def with_name(text, name):
        return f"{text} Apple's name: `{name}`.".strip() if name else text

    # Events

    def events(self):
        heads = ["Type", "Message", "Apple's name", "Scope that may append", "Envelope's app"]
        heads.append("Refused with (beyond \"any event\")")
        table = [self.row(*heads), self.row(*["---"] * len(heads))]
        sections = []
        for name, file in self.protos.files.items():
            events = [(node, EVENT.match("\n".join(joined(node.comment)))) for node in file.children.values()]
            events = [(node, match) for node, match in events if match]
            if "/events/" not in f"/{name}" or not events:
                continue
            header = joined(file.comment)[:1]
            if header:
                text = re.sub(r" Common bounds and codes: apps\.proto\.", "", header[0])
                sections += ["", wrapped(f"**{pathlib.PurePath(name).name}** · {self.marked(text)}")]
            for node, match in events:
                clauses = Clauses(match[3])
                codes = self.event_codes(node, clauses, header)
                table.append(self.row(
                    f"`{match[1]}`", node.name, self.name(clauses.apple), self.scope(node, clauses),
                    self.app(node, clauses), " ".join(f"`{code}`" for code in codes) or "–"))
                sections += self.section(node, match, clauses)
        return table + sections

    def event_codes(self, node, clauses, header):
        """Of the clause, of what the file says of all its events, and of the fields."""
        of_devices = clauses.get("Appended by the server alone") is None
        codes = [code for text in header for sentence in text.split(". ")
                 if of_devices and sentence.startswith("The app must be")
                 for code in self.codes_in(sentence)]
        codes += [code for code in self.codes_in(clauses.get("Refused") or "", strict=node.name) if code not in codes]
        texts = [" ".join(field.comment) for inner in [node, *node.children.values()] for field in inner.fields]
        general = {"string_too_long", "payload_too_large", "payload_malformed", "field_missing", "field_invalid",
                   "already_logged", "clock_skew", "forbidden"}
        for text in texts:
            codes += [code for code in self.codes_in(text) if code not in codes and code not in general]
        return codes

    def scope(self, node, clauses):
        if clauses.get("Appended by the server alone") is not None:
            return "the server"
        if not clauses.get("Scope"):
            raise Unusable(f"{node.name}: its comment has no \"Scope: \"")
        return self.cell(clauses.get("Scope").rstrip("."))

    def app(self, node, clauses):
        if clauses.get("Envelope app"):
            return self.cell(clauses.get("Envelope app").rstrip("."))
        return "absent" if clauses.get("Appended by the server alone") is not None else "required"

    def section(self, node, match, clauses):
        type_, rule = match[1], match[2]
        lines = ["", f"### {type_}", ""]
        about = re.sub(r" No fields\.$", "", capitalized(clauses.text))
        lines += [wrapped(self.marked(f"{about} ({capitalized(rule)}.)" if rule else about)), ""]
        if clauses.get("Appended by the server alone") is not None:
            facts = "Appended by the server alone" + clauses.get("Appended by the server alone")
            facts = re.sub(r"alone(?=\w)", "alone ", facts)
        else:
            facts = f"Scope: {clauses.get('Scope')}"
        for name, label in (("Envelope app", "Envelope's app"), ("Refused", "Refused")):
            if clauses.get(name):
                facts += f" {label}: {clauses.get(name)}"
        lines += [wrapped(self.marked(self.with_name(facts, clauses.apple))), ""]
        fields, parts = self.fields(node)
        lines += (fields or ["No fields."]) + [""]
        if type_ not in self.examples:
            raise Unusable(f"Schema/samples has no example of {type_}")
        lines += ["```json", self.examples[type_], "```"]
        return lines + self.parts(parts)

    # Rows

    def rows(self):
        table = ["| Collection | App | Key | Message | Apple's name | |", "| --- | --- | --- | --- | --- | --- |"]
        sections = []
        files = [name for name in self.protos.files if name.endswith("rows.proto")]
        # rows.proto, then those of single domains.
        for name in sorted(files, key=lambda name: (not name.endswith("/rows.proto"), name)):
            file = self.protos.files[name]
            for node in file.children.values():
                comment = " ".join(joined(node.comment))
                match = ROW.match(comment)
                if not match:
                    continue
                # A message may be the row of a second collection: its sentence stands further down.
                others = [ROW.match(comment, at.start()) for at in re.finditer(r"(?<=\. )Collection `", comment)]
                clauses = Clauses(match[3])
                key = match[2] or re.split(r": |\. ", clauses.get("Key") or "")[0].rstrip(".")
                key = '`""`' if key == '""' else self.cell(key)
                # What is said of rows without an app, in whatever words, is worth a look at the text.
                app = clauses.get("App") or ("yes, or none" if PARTLY.search(clauses.text) else "yes")
                about = capitalized(clauses.text)
                table.append(self.row(
                    f"`{match[1]}`", self.cell(app.rstrip(".")), key, self.plain(node.name, file),
                    self.name(clauses.apple), self.cell(about.split(". ")[0].rstrip("."))))
                for other in others:
                    table.append(self.row(
                        f"`{other[1]}`", self.cell(app.rstrip(".")), self.cell(other[2]), self.plain(node.name, file),
                        self.name(clauses.apple), self.cell(capitalized(other[3]).split(". ")[0].rstrip("."))))
                sections += self.row_section(node, match[1], clauses, about)
        return table + sections

    def row_section(self, node, collection, clauses, about):
        lines = ["", f"#### {node.path}", ""]
        text = f"Collection `{collection}`. {about}"
        if clauses.get("Key"):
            text += f" Key: {clauses.get('Key')}"
        lines.append(wrapped(self.marked(self.with_name(text, clauses.apple))))
        self.shown.add(id(node))
        fields, parts = self.fields(node)
        lines += [""] + fields if fields else []
        return lines + self.parts(parts)

    # Writing

    def written(self):
        text = self.text
        for name, make in (("events", self.events), ("rows", self.rows)):
            begin, end = f"<!-- begin generated: {name} -->", f"<!-- end generated: {name} -->"
            if text.count(begin) != 1 or text.count(end) != 1 or text.index(begin) > text.index(end):
                raise Unusable(f"{self.readme}: \"{begin}\" and \"{end}\" must stand in it once, in this order")
            content = "\n".join(make())
            text = f"{text[:text.index(begin)]}{begin}\n\n{content}\n\n{text[text.index(end):]}"
        return text


def main():
    parser = argparse.ArgumentParser(description="Writes the catalogue in Schema/README.md from the .proto comments.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when the catalogue is out of date")
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    arguments = parser.parse_args()
    try:
        catalogue = Catalogue(arguments.root)
        text = catalogue.written()
    except (Unusable, OSError, UnicodeDecodeError) as error:
        print(f"generate-catalogue: {error}", file=sys.stderr)
        return 1
    if text == catalogue.text:
        return 0
    if arguments.check:
        print("generate-catalogue: Schema/README.md differs from the .proto comments; run ops/generate",
              file=sys.stderr)
        return 1
    catalogue.readme.write_text(text, "utf-8")
    print("wrote Schema/README.md")
    return 0


sys.exit(main())
