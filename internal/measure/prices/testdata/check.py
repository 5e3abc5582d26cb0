"""Holds requests and answers of GetProducts against the model of the price list that ships with botocore, and its example.

Reads a list of {"request", "answer"} and prints a line for everything that the model does not allow. Each product is
held against the one in botocore's own example: what that has, it must have too.
"""

import json
import os
import sys

import botocore
from botocore.loaders import Loader
from botocore.model import ServiceModel
from botocore.validate import ParamValidator

VERSION = "2017-10-15"
operation = ServiceModel(Loader().load_service_model("pricing", "service-2", VERSION)).operation_model("GetProducts")
directory = os.path.join(os.path.dirname(botocore.__file__), "data", "pricing", VERSION)
with open(os.path.join(directory, "examples-1.json"), encoding="utf-8") as file:
    example = json.loads(json.load(file)["examples"]["GetProducts"][0]["output"]["PriceList"][0])


def lacks(like, value, path):
    """What a product lacks of the example; keys that are names of their own go by their place."""
    if not isinstance(like, dict):
        return [] if type(like) is type(value) else [f"{path} is {value!r}"]
    if path.endswith((".OnDemand", ".priceDimensions")):
        return [p for item in value.values() for p in lacks(next(iter(like.values())), item, path + "[]")]
    if path.endswith((".attributes", ".pricePerUnit")):
        return [f"{path}.{k} is {v!r}" for k, v in value.items() if not isinstance(v, str)]
    return [p for k in like for p in (lacks(like[k], value[k], f"{path}.{k}") if k in value else [f"{path}.{k} is not there"])]


for said in json.load(sys.stdin):
    for shape, value in ((operation.input_shape, said["request"]), (operation.output_shape, said["answer"])):
        report = ParamValidator().validate(value, shape)
        if report.has_errors():
            print(report.generate_report())
    for text in said["answer"]["PriceList"]:
        for problem in lacks(example, json.loads(text), ""):
            print(problem)
