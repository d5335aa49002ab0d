"""Proves that the comparison can fail: documents that differ from their schema, and schemas that differ from what is printed."""
import contextlib
import copy
import io

COMMON = {"$id": "common.json", "$defs": {"size": {
    "type": "object", "properties": {"bytes": {"description": "bytes", "type": "integer"}}, "required": ["bytes"], "additionalProperties": False}}}
SCHEMA = {
    "$id": "say.json", "type": "object", "required": ["name", "sizes"], "additionalProperties": False,
    "properties": {
        "name": {"description": "the name", "type": ["string", "null"]},
        "sizes": {"description": "sizes", "type": "array", "items": {"$ref": "common.json#/$defs/size"}},
        "best": {"description": "the best, or its place", "anyOf": [{"$ref": "common.json#/$defs/size"}, {"type": "integer"}]},
        "rare": {"description": "a number", "type": "number", "$comment": "seen only on other machines"},
        "by_name": {"description": "by name", "type": "object", "additionalProperties": {"$ref": "#/$defs/flag"}}},
    "$defs": {"flag": {"type": "object", "properties": {"on": {"description": "whether", "type": "boolean"}}}}}
RIGHT = {"name": "a", "sizes": [{"bytes": 1}], "best": {"bytes": 2}, "by_name": {"x": {"on": True}}}
WRONG = {
    "a renamed field": {"nam": "a", "sizes": []},
    "an extra field": RIGHT | {"more": 1},
    "an extra field in a shared part": RIGHT | {"sizes": [{"bytes": 1, "more": 1}]},
    "a missing field": {"name": "a"},
    "a wrong type": RIGHT | {"sizes": [{"bytes": "1"}]},
    "a number that is not whole": RIGHT | {"sizes": [{"bytes": 1.5}]},
    "no form of several": RIGHT | {"best": "first"},
    "a wrong type in a map": RIGHT | {"by_name": {"x": {"on": 1}}},
}


def self_test(make_schemas, make_check, first_difference):
    """Whether all of it is found; says what is not."""
    faults = []

    def claim(holds, what):
        if not holds:
            faults.append(what)

    def schemas(change=lambda schema: None):
        schema = copy.deepcopy(SCHEMA)
        change(schema)
        return make_schemas({"common": copy.deepcopy(COMMON), "say": schema})

    claim(not schemas().faults("say", RIGHT), "a right document is refused")
    for what, document in WRONG.items():
        claim(schemas().faults("say", document), f"{what} is not seen")
    seen = schemas()
    seen.faults("say", RIGHT | {"name": None})
    claim(seen.dead() == [], f"names that were there are dead: {seen.dead()}")
    seen = schemas()
    seen.faults("say", {"name": "a", "sizes": [], "best": 1})
    claim(seen.dead() == ["common.json#/$defs/size/bytes", "say.json#/by_name", "say.json#/$defs/flag/on"], f"dead names are {seen.dead()}")
    claim(schemas(lambda schema: schema["properties"]["name"].pop("description")).nameless() == ["say.json#/name"], "a missing description is not seen")
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        check = make_check(schemas())
        check.document("say", "{", "no JSON")
        check.document("cry", "{}", "no schema")
        check.document("say", '{"nam": 1}', "another document")
        check.coverage(["say", "cry"])
    for said in ("no JSON: no JSON", "no schema: there is no docs/schemas/cry.json", "another document: /: ", "say.json#/name is in no sample",
                 "cry takes --format json"):
        claim(f"FAILED {said}" in printed.getvalue(), f"'{said}' is not said")
    claim(first_difference(RIGHT, copy.deepcopy(RIGHT)) is None, "equal documents differ")
    for what, document in WRONG.items():
        claim(first_difference(RIGHT, document), f"{what} is no difference")
    for fault in faults:
        print(f"FAILED {fault}")
    print(f"self-test: {len(faults)} failed")
    return not faults
