"""Which words of Python's own manual occur together? One pass over the text that `help()` shows, in 256 KiB.

python examples/pmi_words.py
"""

from pydoc_data.topics import topics

from rich.console import Console
from rich.table import Table

from wmsketch.apps import PMI


def main() -> None:
    """Learn the topics, each as one text, and compare the pairs with exact counts."""
    pmi = PMI(budget="256KiB", within="paragraph", directed=False, exact=True)
    for text in topics.values():
        pmi.learn_text(text)
    table = Table("pair", "PMI", "95 % from", "to", "exact PMI", "count", title="Words that occur together")
    for row in pmi.top(15, min_count=40):
        exact = pmi.exact_row(*row.pair)
        upper = "" if row.high == float("inf") else f"{row.high:+.2f}"
        table.add_row(
            " ".join(row.pair), f"{row.pmi:+.2f}", f"{row.low:+.2f}", upper, f"{exact.pmi:+.2f}", f"{row.count:,}"
        )
    table.caption = (
        f"{pmi.tokens:,} words, {pmi.pairs:,} pairs in {pmi.nbytes:,} bytes; no upper bound: too few occurrences"
    )
    Console(width=100).print(table)


if __name__ == "__main__":
    main()
