"""Holds what was said to EC2 and RDS, and what they answered, against the models of both that ship with botocore.

Reads a list of {"service", "form", "answer"} and prints a line for everything that a model does not have: a parameter, an element of an
answer where the model has none by that name, and a value that is not of its kind.
"""

import json
import sys
import xml.etree.ElementTree as tree

from botocore.loaders import Loader
from botocore.model import ServiceModel


def operation(service, form):
    model = ServiceModel(Loader().load_service_model(service, "service-2"))
    if form.pop("Version") != model.api_version:
        print(f"{service} is not asked by {model.api_version}")
    return model.operation_model(form.pop("Action"))


def strange(element, shape, path):
    """What of an element the model does not have."""
    children = {child.tag.split("}")[-1] for child in element}
    if shape.type_name == "structure":
        members = {m.serialization.get("name", n): m for n, m in shape.members.items()}
        for child in element:
            name = child.tag.split("}")[-1]
            yield from strange(child, members[name], f"{path}.{name}") if name in members else [f"{path} has no {name}"]
    elif shape.type_name == "list":
        for child in element:
            yield from strange(child, shape.member, f"{path}[]")
        if children - {shape.member.serialization.get("name", "member")}:
            yield f"{path} holds {children}"
    elif shape.type_name in ("integer", "double", "long"):
        try:
            float(element.text)
        except ValueError:
            yield f"{path} is {element.text!r}"
    elif getattr(shape, "enum", None) and element.text not in shape.enum:
        yield f"{path} is {element.text!r}"


for said in json.load(sys.stdin):
    asked = operation(said["service"], said["form"])
    for name in set(said["form"]) - set(asked.input_shape.members):
        print(f"{asked.name} takes no {name}")
    answer = tree.fromstring(said["answer"])
    for wrapper in answer:
        if wrapper.tag.split("}")[-1].endswith("Result"):  # of the protocol of RDS
            answer = wrapper
    for child in list(answer):
        if child.tag.split("}")[-1] in ("requestId", "ResponseMetadata"):
            answer.remove(child)
    for line in strange(answer, asked.output_shape, asked.name):
        print(line)
