"""spelling.py: finds the coroutine shapes that GCC 12.2 miscompiles (double free, use after free) while Clang accepts them.

  co_await in the condition of if, while, for or switch      hoist it into a local
  cond ? co_await a() : co_await b()                          if and else
  a braced object or list inside a co_await expression        name it first, move it in (`{}` alone is let through: our
                                                              parameter types have constructors)
  a lambda with captures by value inside such an expression   name it first

`co_return co_await f(…);` is miscompiled in none of its shapes (17 tried under ASan), and is how a coroutine ends in another.
"""
import re

from sources import ROOT, bare, close, line_of, name_of, sources

CONDITION = re.compile(r"\b(if|while|for|switch)\s*(?:constexpr\s*)?\(")
AWAIT = re.compile(r"\bco_await\b")
BLOCK = re.compile(r"```(?:cpp|c\+\+)\n(.*?)```", re.S)


def closing(text, start, opening="(", end=")"):
    depth = 0
    for i in range(start, len(text)):
        depth += (text[i] == opening) - (text[i] == end)
        if depth == 0:
            return i
    return len(text)


def condition_faults(text):
    for match in CONDITION.finditer(text):
        end = closing(text, match.end() - 1)
        inner = text[match.end():end]
        # The range of a range-based for is evaluated once, before the loop: it is a statement of its own.
        found = AWAIT.search(inner)
        if found and not (match.group(1) == "for" and ";" not in inner):
            yield match.end() + found.start(), f"co_await in the condition of {match.group(1)}"


def expression_faults(text):
    for match in AWAIT.finditer(text):
        depth, i = 0, match.end()
        while i < len(text):
            c = text[i]
            if c in "([":
                if c == "[" and (lambda_end := closing(text, i, "[", "]")) and re.match(r"\s*[({]|\s*mutable", text[lambda_end + 1:]):
                    captures = text[i + 1:lambda_end]
                    if captures.strip() and not all(part.strip().startswith("&") or part.strip() == "this" for part in captures.split(",")):
                        yield i, "a lambda with captures by value inside a co_await expression"
                    body = text.find("{", lambda_end)
                    i = closing(text, body, "{", "}") + 1
                    continue
                depth += 1
            elif c in ")]":
                depth -= 1
                if depth < 0:
                    break
            elif c == "{" and depth > 0 and re.match(r"\{\s*\}", text[i:]) and text[:i].rstrip()[-1:] in "(,":
                i = text.index("}", i)
            elif c == "{" and (depth > 0 or text[:i].rstrip()[-1:] != ")"):
                yield i, "a braced object or list inside a co_await expression"
                break
            elif c in ";{}" or c == "," and depth == 0:
                break
            i += 1
        # Back to the start of the statement: is it a branch of ?:
        start = max(text.rfind(c, 0, match.start()) for c in ";{}")
        before = text[start + 1:match.start()]
        if opened := CONDITION.match(before.lstrip()):
            before = before.lstrip()
            before = before[closing(before, opened.end() - 1) + 1:]
        if re.search(r"\?[^:]*$", before) or re.search(r"\?[^?:]*(?<!:):(?!:)[^:]*$", before):
            yield match.start(), "co_await in a branch of ?:"


def faults_of(name, text, first_line=1):
    clean = bare(text)
    for offset, what in [*condition_faults(clean), *expression_faults(clean)]:
        yield f"{name}:{line_of(clean, offset) + first_line - 1}: {what}"


# Each must be found, or the check itself is broken.
PLANTED = [
    "if (co_await f()) {}", "while (!(co_await f()).done) {}", "switch (co_await f()) {}", "for (; co_await f();) {}",
    "auto x = c ? co_await a() : co_await b();", "auto x = c ? 1 : co_await b();", "co_await f(Options{.a = 1});", "co_await f({1, 2});",
    "co_await f([name] { return 1; });", "co_await f(\n  [=](int) { return 1; });",
]
HARMLESS = [
    "const bool ok = co_await f(); if (ok) {}", "co_await f([&](int) { return 1; });", "for (const auto& x : co_await f()) {}",
    "asio::awaitable<void> f() { co_await g(); }", "if (x) { co_await f(); }", "const auto x = std::move(co_await f()).value();",
    "switch (x) { case 1: co_await f(); }", "// if (co_await f())", "auto s = \"if (co_await f())\";", "if (a ? b : c) co_await f();", "co_await f(x, {}, {}, y);",
]


def main():
    faults = [f"the check does not find: {text}" for text in PLANTED if not list(faults_of("planted", text))]
    faults += [f"the check wrongly finds: {fault} in {text}" for text in HARMLESS for fault in faults_of("harmless", text)]
    checked = len(PLANTED) + len(HARMLESS)
    for path in sources("src", "include", "examples", "tests", "bench", "fuzz"):
        checked += 1
        faults += faults_of(name_of(path), path.read_text(encoding="utf-8"))
    for path in [ROOT / "README.md", *sources("docs", suffixes=(".md",))]:
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        for block in BLOCK.finditer(text):
            checked += 1
            faults += faults_of(name_of(path), block.group(1), line_of(text, block.start(1)))
    close(checked, faults)


main()
