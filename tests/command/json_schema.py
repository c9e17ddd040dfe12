"""As much of JSON Schema 2020-12 as docs/protocol.schema.json and docs/output.schema.json use; another keyword is an error. Standard library only."""

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
SAYS_NOTHING = {"$schema", "$defs", "title", "description"}


def is_of(value, kind):
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if kind == "integer":
        return is_number and float(value).is_integer()
    return is_number if kind == "number" else isinstance(value, TYPES[kind])


class Schema:
    """`knows_all`: a member that no schema describes is an error, too."""

    def __init__(self, root, knows_all=False):
        self.root = root
        self.knows_all = knows_all

    def faults(self, value, name):
        """The errors of `value`, which should be a `name` of $defs; empty if it is valid."""
        return list(self._faults(value, self.root["$defs"][name], name))

    def _faults(self, value, schema, where):
        for keyword, what in schema.items():
            if keyword not in SAYS_NOTHING:
                yield from getattr(self, "_" + keyword.lstrip("$"))(value, what, where, schema)

    def _ref(self, value, name, where, _):
        yield from self._faults(value, self.root["$defs"][name.removeprefix("#/$defs/")], where)

    def _anyOf(self, value, schemas, where, _):
        tries = [list(self._faults(value, schema, where)) for schema in schemas]
        if all(tries):
            yield min(tries, key=lambda faults: (len(faults), -max(len(fault) for fault in faults)))[0]

    def _type(self, value, kind, where, _):
        if not is_of(value, kind):
            yield f"{where}: {value!r} is no {kind}"

    def _const(self, value, expected, where, _):
        if value != expected:
            yield f"{where}: {value!r} is not {expected!r}"

    def _enum(self, value, expected, where, _):
        if value not in expected:
            yield f"{where}: {value!r} is none of {expected}"

    def _properties(self, value, properties, where, beside):
        for key in value if isinstance(value, dict) else ():
            if key in properties:
                yield from self._faults(value[key], properties[key], f"{where}.{key}")
            elif self.knows_all and "additionalProperties" not in beside:
                yield f"{where}: {key} is described nowhere"

    def _required(self, value, keys, where, _):
        for key in keys if isinstance(value, dict) else ():
            if key not in value:
                yield f"{where}: {key} is missing"

    def _additionalProperties(self, value, schema, where, beside):
        for key in value.keys() - beside.get("properties", {}).keys() if isinstance(value, dict) else ():
            if schema is False:
                yield f"{where}: {key} is unknown"
            else:
                yield from self._faults(value[key], schema, f"{where}.{key}")

    def _items(self, value, schema, where, _):
        for index, one in enumerate(value if isinstance(value, list) else ()):
            yield from self._faults(one, schema, f"{where}[{index}]")

    def _minItems(self, value, count, where, _):
        if isinstance(value, list) and len(value) < count:
            yield f"{where}: fewer than {count}"

    def _minLength(self, value, count, where, _):
        if isinstance(value, str) and len(value) < count:
            yield f"{where}: shorter than {count}"

    def _maxLength(self, value, count, where, _):
        if isinstance(value, str) and len(value) > count:
            yield f"{where}: longer than {count}"

    def _minimum(self, value, low, where, _):
        if is_of(value, "number") and value < low:
            yield f"{where}: {value} is less than {low}"

    def _maximum(self, value, high, where, _):
        if is_of(value, "number") and value > high:
            yield f"{where}: {value} is more than {high}"

    def _exclusiveMinimum(self, value, low, where, _):
        if is_of(value, "number") and value <= low:
            yield f"{where}: {value} is not more than {low}"
