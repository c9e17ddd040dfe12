"""Functions out of PyTorch's Python sources, which cannot be imported without its library: `parser(FOLDER)` and `endpoint_parser(FOLDER)`."""
import argparse
import ast
import enum
import importlib.util
import re
from pathlib import Path
from typing import Any


def functions(file: Path, names: "list[str]", around: "dict[str, Any]") -> "dict[str, Any]":
    tree = ast.parse(file.read_text())
    tree.body = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name in names]
    for node in tree.body:
        node.returns = None
        for argument in node.args.args:
            argument.annotation = None
    exec(compile(tree, str(file), "exec"), around)
    return around


def parser(folder: str) -> "argparse.ArgumentParser":
    distributed = Path(folder) / "torch/distributed"
    spec = importlib.util.spec_from_file_location("argparse_util", distributed / "argparse_util.py")
    util = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(util)
    mode = enum.Enum("AffinityMode", {"NODE": "node"})
    around = {"ArgumentParser": argparse.ArgumentParser, "REMAINDER": argparse.REMAINDER, "env": util.env, "check_env": util.check_env, "_AffinityMode": mode,
              "_PrintCompletionAction": argparse._StoreAction}
    return functions(distributed / "run.py", ["get_args_parser"], around)["get_args_parser"]()


def endpoint_parser(folder: str) -> Any:
    file = Path(folder) / "torch/distributed/elastic/rendezvous/utils.py"
    return functions(file, ["_try_parse_port", "parse_rendezvous_endpoint"], {"re": re})["parse_rendezvous_endpoint"]
