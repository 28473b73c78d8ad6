"""Convert span attributes into a plain mapping with dotted names, and back into nested values."""

from __future__ import annotations

from metier.capture.reading.fields import Map, clip, decode, elements, is_list, is_map, mapping, text

_KEYS_LIMIT = 20_000


def attributes_of(given: object) -> Map:
    """Attributes as a plain mapping: from OTLP's list of keys and typed values, or from any nested object."""
    if is_list(given):
        pairs = (mapping(pair) for pair in elements(given))
        return {text(pair, "key"): _plain_value(pair.get("value")) for pair in pairs if text(pair, "key")}
    return dict(flatten("", given)) if is_map(given) else {}


def _plain_value(value: object, depth: int = 0) -> object:
    """The plain value of an OTLP AnyValue."""
    typed = mapping(value)
    if depth > 20 or not typed:
        return value if not isinstance(value, dict | list) else None
    kind, inner = next(iter(typed.items()))
    if kind == "arrayValue":
        return [_plain_value(one, depth + 1) for one in elements(mapping(inner).get("values"))]
    if kind == "kvlistValue":
        pairs = (mapping(pair) for pair in elements(mapping(inner).get("values")))
        return {text(pair, "key"): _plain_value(pair.get("value"), depth + 1) for pair in pairs}
    return clip(inner) if isinstance(inner, str) else inner


def flatten(prefix: str, given: object) -> Map:
    """A nested value as a mapping with dotted names; list items are numbered."""
    found: Map = {}
    waiting: list[tuple[str, object]] = [(prefix, given)]
    while waiting and len(found) < _KEYS_LIMIT:
        name, value = waiting.pop()
        if is_map(value) and value:
            waiting += [(f"{name}.{key}" if name else key, inner) for key, inner in mapping(value).items()]
        elif is_list(value) and any(is_map(inner) for inner in elements(value)):
            waiting += [(f"{name}.{index}", inner) for index, inner in enumerate(elements(value))]
        else:
            found[name] = clip(value) if isinstance(value, str) else value
    return found


def nested_value(attributes: Map, name: str) -> object:
    """The value under a name: unchanged, decoded from JSON text, or rebuilt from dotted names."""
    value = attributes.get(name)
    if isinstance(value, str):
        try:
            return decode(value) if value[:1] in "[{" and value else value
        except ValueError:
            return value
    if value is not None:
        return value
    tree: Map = {}
    for key, inner in attributes.items():
        if key.startswith(f"{name}."):
            parts = key[len(name) + 1 :].split(".")
            place = tree
            for part in parts[:-1]:
                below = place.setdefault(part, {})
                place = mapping(below) if is_map(below) else {}
            place[parts[-1]] = inner
    return _numbered_as_lists(tree) if tree else None


def _numbered_as_lists(value: object, depth: int = 0) -> object:
    """The value with objects whose names are numbers turned into lists."""
    if not is_map(value) or depth > 20:
        return value
    obj = mapping(value)
    plain = {key: _numbered_as_lists(inner, depth + 1) for key, inner in obj.items()}
    if plain and all(key.isdigit() and len(key) < 9 for key in plain):
        return [plain[key] for key in sorted(plain, key=int)]
    return plain
