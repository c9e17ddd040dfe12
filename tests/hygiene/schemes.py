"""schemes.py: what a kind of targets is like stands in its resolver's folder. Other rooms ask its row (TargetScheme, SchemeRules): they
neither compare with a scheme's name nor cast to a resolver's class."""
import re

from sources import TOKEN, close, line_of, name_of, sources

ROWS = re.compile(r'^constexpr TargetScheme \w+ = \{\s*\.name = "(\w+)"', re.M)
CAST = re.compile(r"dynamic_(?:pointer_)?cast<\s*(?:const\s+)?(?:\w+::)*\w*Resolver\b")
INSIDE = ("src/resolvers/", "src/sim/")  # the simulated cloud is no user of the library
# Words of another vocabulary that are spelled like a scheme: file, words, why.
OTHER_WORDS = [
    ("src/accelerator/accelerator_type.cpp", "tpu", "how the types of TPUs begin"),
    ("src/auth/wire/credential_file.cpp", "file", "a member of Google's credential files"),
    ("src/base/error.cpp", "file", "the kind of place that an error names, in JSON"),
    ("src/cluster/names.cpp", "tpu", "FoundKind's word in JSON"),
    ("src/command/arguments/option_stores.hpp", "tpu auto", "values of --kind, --lookup and --source"),
    ("src/command/arguments/kubectl_words.cpp", "kubernetes", "what kubectl calls KIND/NAME is one of its targets"),
    ("src/command/run/whoami_command.cpp", "auto", "the target that is asked where none is named"),
    ("src/command/session/methods.cpp", "tpu auto", "the session protocol's words for the same"),
    ("src/command/show/settings_text.cpp", "kubernetes", "how clients of a service sign in"),
    ("src/fleet/client/server_settings.cpp", "auto", "a value of ROLLCALL_SERVER_FALLBACK"),
    ("src/fleet/rights/rules/right_table.hpp", "tpu gce kubernetes slurm", "words of a service's settings: followed places, and how clients sign in"),
    ("src/fleet/settings/wire/fleet_settings.cpp", "kubernetes slurm", "the engine of a lease, and a key of a service's settings"),
    ("src/webhook/wait_reviews.cpp", "kubernetes", "what pods can wait for while they are in their init containers"),
    ("src/google/gcloud_way.cpp", "tpu", "gcloud's property api_endpoint_overrides/tpu"),
]


def main():
    names = {name for path in sources("src/resolvers") for name in ROWS.findall(path.read_text(encoding="utf-8"))}
    allowed = {(file, word) for file, words, _ in OTHER_WORDS for word in words.split()}
    used = set()
    faults = [] if len(names) > 5 else ["the rows of the schemes were not found"]
    paths = [path for path in sources("src") if not name_of(path).startswith(INSIDE)]
    for path in paths:
        file, text = name_of(path), path.read_text(encoding="utf-8")
        for token in TOKEN.finditer(text):
            word = re.fullmatch(r'"(\w+)[:/]?"', token[0])
            if not word or word[1] not in names or re.search(r"#[ \t]*include[ \t]*$", text[:token.start()]):
                continue
            used.add((file, word[1]))
            if (file, word[1]) not in allowed:
                faults.append(f"{file}:{line_of(text, token.start())}: names the scheme {token[0]}: ask its row")
        code = TOKEN.sub(lambda found: "\n" * found[0].count("\n"), text)
        faults += [f"{file}:{line_of(code, cast.start())}: {cast[0]}: ask the scheme's row, or a function of the resolver's header"
                   for cast in CAST.finditer(code)]
    faults += [f"OTHER_WORDS: {file} does not say \"{word}\"" for file, word in sorted(allowed - used)]
    close(len(paths), faults)


if __name__ == "__main__":
    main()
