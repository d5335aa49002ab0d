"""JSON documents held against the schemas of a folder, and what of the schemas no document has."""
import json
import pathlib

from jsonschema import Draft202012Validator, RefResolver

MARK = "seen only "  # begins a $comment of a property that no sample has, and says when it is there
SHOWN = 5  # faults of a document


class Schemas:
    """The schemas by name: documents are checked, and which properties they have is remembered."""

    def __init__(self, schemas):
        self.schemas = schemas
        self.seen = set()  # of id() of properties
        store = {f"{name}.json": schema for name, schema in schemas.items()}
        self.validators = {}
        for name, schema in schemas.items():
            Draft202012Validator.check_schema(schema)
            self.validators[name] = Draft202012Validator(schema, resolver=RefResolver(f"{name}.json", schema, store))

    @classmethod
    def of_folder(cls, folder):
        return cls({file.stem: json.loads(file.read_text(encoding="utf-8")) for file in sorted(pathlib.Path(folder).glob("*.json"))})

    def faults(self, name, document):
        """How a document differs from its schema, a line each."""
        errors = sorted(self.validators[name].iter_errors(document), key=lambda error: [str(part) for part in error.absolute_path])
        if not errors:
            self._look(name, self.schemas[name], document)
        lines = [f"/{'/'.join(map(str, error.absolute_path))}: {_innermost(error)}" for error in errors]
        return lines[:SHOWN] + ([f"... {len(lines) - SHOWN} more"] if len(lines) > SHOWN else [])

    def dead(self):
        """Properties that no document had and that do not say why."""
        return [where for where, node in self._properties() if id(node) not in self.seen and not node.get("$comment", "").startswith(MARK)]

    def nameless(self):
        """Properties without a description."""
        return [where for where, node in self._properties() if not node.get("description", "").strip()]

    def properties(self):
        return sum(1 for _ in self._properties())

    def _properties(self):
        for name, schema in self.schemas.items():
            yield from _properties_of(schema, f"{name}.json#")

    def _look(self, name, schema, document):
        """Remembers the properties of a document that is right."""
        if "$ref" in schema:
            file, _, pointer = schema["$ref"].partition("#")
            name = file.removesuffix(".json") if file else name
            target = self.schemas[name]
            for part in filter(None, pointer.split("/")):
                target = target[part]
            self._look(name, target, document)
        for branch in schema.get("anyOf", []):
            if self.validators[name].evolve(schema=branch).is_valid(document):
                self._look(name, branch, document)
        if isinstance(document, list) and "items" in schema:
            for element in document:
                self._look(name, schema["items"], element)
        if isinstance(document, dict):
            self._look_into(name, schema, document)

    def _look_into(self, name, schema, document):
        properties = schema.get("properties", {})
        patterns = list(schema.get("patternProperties", {}).values())
        others = schema.get("additionalProperties")
        for key, value in document.items():
            if key in properties:
                self.seen.add(id(properties[key]))
                self._look(name, properties[key], value)
            elif patterns:  # a schema has one at most
                self.seen.add(id(patterns[0]))
                self._look(name, patterns[0], value)
            elif isinstance(others, dict):
                self._look(name, others, value)


def _innermost(error):
    """The message of a fault; of one of several forms that of the form that fits best."""
    while error.context:
        error = min(error.context, key=lambda one: (-len(one.absolute_path), one.validator == "type"))
    return f"{error.message[:300]}"


def _properties_of(node, where):
    if isinstance(node, list):
        for index, one in enumerate(node):
            yield from _properties_of(one, f"{where}/{index}")
    if not isinstance(node, dict):
        return
    for key, value in node.items():
        if key in ("properties", "patternProperties"):
            for name, one in value.items():
                yield f"{where}/{name}", one
                yield from _properties_of(one, f"{where}/{name}")
        elif key == "$defs":
            for name, one in value.items():
                yield from _properties_of(one, f"{where}/$defs/{name}")
        elif key not in ("if", "then", "enum", "required"):
            yield from _properties_of(value, where)
