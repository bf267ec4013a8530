"""What the action writes into the job summary, as GitHub-flavoured Markdown.  Names of functions come from the measured program,
so that nothing in them may work as Markdown or HTML."""
import os
import unicodedata

NAME_LIMIT = 200
PLAIN = set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 ,:()-")


def escape(text: str, limit: int = NAME_LIMIT) -> str:
    """The text as Markdown that shows it: what is not plain becomes a character reference, which never works as markup."""
    if len(text) > limit:
        text = text[:limit - 1] + "…"
    shown = ("\N{REPLACEMENT CHARACTER}" if unicodedata.category(letter)[0] == "C" else letter for letter in text)
    return "".join(letter if letter in PLAIN or ord(letter) > 127 else f"&#{ord(letter)};" for letter in shown)


def table(rows: list[dict]) -> str:
    lines = ["| share | samples | function |", "| ---: | ---: | :--- |"]
    for row in rows:
        lines.append(f"| {float(row['overhead']):.2f} % | {int(row['count'])} | <code>{escape(row['symbol'])}</code> |")
    return "\n".join(lines) + "\n"


def append(text: str) -> None:
    """To the summary of this step; to standard output where there is none."""
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if not path:
        print(text)
        return
    with open(path, "a", encoding="utf-8") as file:
        file.write(text + "\n")
