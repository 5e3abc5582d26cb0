"""Holds what is said over HTTP against the model of Performance Insights that ships with botocore.

Reads {"operation", "request", "status", "answer"}, one JSON object a line, and prints a line for everything that the
model does not allow. botocore.validate knows members, types and least values; greatest values, enumerations and
patterns stand in the same shapes and are looked at here.
"""

import json
import re
import sys

from botocore.loaders import Loader
from botocore.model import ServiceModel
from botocore.validate import ParamValidator


def bounds(shape, value, path):
    """What the model says beside what botocore.validate looks at."""
    if shape.type_name == "structure":
        for name, member in shape.members.items():
            if name in value:
                yield from bounds(member, value[name], f"{path}.{name}")
        return
    if shape.type_name == "map":
        for key, item in value.items():
            yield from bounds(shape.key, key, f"{path} (key)")
            yield from bounds(shape.value, item, f"{path}[{key}]")
    if shape.type_name == "list":
        for i, item in enumerate(value):
            yield from bounds(shape.member, item, f"{path}[{i}]")
    amount = len(value) if shape.type_name in ("string", "list", "map") else value
    most, pattern = shape.metadata.get("max"), shape.metadata.get("pattern")
    if most is not None and amount > most:
        yield f"{path}: {amount} is more than {most}"
    if shape.type_name == "string" and shape.enum and value not in shape.enum:
        yield f"{path}: {value!r} is none of {shape.enum}"
    if shape.type_name == "string" and pattern and not re.search(pattern, value):
        yield f"{path}: {value!r} does not match {pattern}"


def problems(shape, value):
    report = ParamValidator().validate(value, shape)
    if report.has_errors():
        return ["; ".join(report.generate_report().splitlines())]
    return list(bounds(shape, value, shape.name))


def refusals(operation, answer):
    """A refusal has the type of an error of the operation, or of all operations, and says why."""
    everywhere = {
        "AccessDeniedException", "ExpiredTokenException", "MissingAuthenticationTokenException", "ThrottlingException",
        "UnrecognizedClientException", "ValidationException",
    }
    own = {shape.name for shape in operation.error_shapes}
    kind = answer.get("__type")
    if kind not in own | everywhere:
        yield f"{kind} is no error of {operation.name}"
    if not answer.get("Message"):
        yield f"{kind} says nothing"


def main():
    model = ServiceModel(Loader().load_service_model("pi", "service-2", "2018-02-27"))
    for number, line in enumerate(sys.stdin, 1):
        said = json.loads(line)
        operation = model.operation_model(said["operation"])
        if said["status"] == 200:
            found = problems(operation.input_shape, said["request"]) + problems(operation.output_shape, said["answer"])
        else:
            found = list(refusals(operation, said["answer"]))
        for problem in found:
            print(f"{number} {said['operation']}: {problem}")


main()
