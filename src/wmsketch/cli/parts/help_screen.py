"""The help of a command: examples and the options that matter first, then all others under headings."""

from __future__ import annotations

import click

# The options that matter most, by command.
FIRST = {
    "train": (
        "label",
        "positive",
        "ignore",
        "text",
        "loss",
        "holdout",
        "budget",
        "top",
        "save",
        "as_json",
    ),
    "predict": ("model_path", "proba", "why", "output", "as_json", "quiet"),
    "explain": ("outlier", "metric", "where", "ignore", "order", "as_json"),
    "diff": ("items", "where", "weight", "top", "report", "as_json"),
    "pmi": ("text", "items", "window", "min_count", "top", "as_json"),
    "top": ("k", "label", "sort", "since", "plot", "as_json"),
    "compare": ("label", "positive", "methods", "budgets", "seeds", "as_json"),
}
_HEADINGS = {
    "Input": "value_a value_b format delimiter quoting columns decimal thousands encoding na bad_rows missing_label "
    "rejects where holdout shuffle passes jobs lines every split test control against after scale",
    "Columns": "label positive features ignore attributes items include numeric categorical text numbers missing "
    "interactions weight time ngrams lowercase word_values templates bins order pairs group groups tokens "
    "token keep_case names undirected all_ports window window_seconds",
    "Learner": "method methods budget budgets depth width active_set_size top_k name_bytes max_classes epsilon delta "
    "exact optimum subsample reservoir n_features count negatives step l2 l1 eta0 schedule loss class_weight "
    "half_life seed seeds ship",
    "Output": "top k sort show_all min_support min_ratio ratio save checkpoint_every resume start_from output plot "
    "within_noise within since min_count report as_json quiet proba label_only why log_format debug "
    "_click_default_help",
}
HEADING_OF = {name: heading for heading, names in _HEADINGS.items() for name in names.split()}
_FEW = 12  # a command with so few options needs no headings
_EXAMPLES = 3


class HelpScreen(click.Command):
    """Shows what a first user needs on one screen; `Commands` gives each command its name."""

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write usage, text, three examples, the first options, and the rest by headings."""
        self.format_usage(ctx, formatter)
        self.format_help_text(ctx, formatter)
        head, *examples = (self.epilog or "").replace("\b\n", "").splitlines() or [""]
        if examples:
            _write_lines(formatter, head, examples[:_EXAMPLES])
        for heading, options in self._sorted(ctx).items():
            with formatter.section(heading):
                formatter.write_dl(options)
        if examples[_EXAMPLES:]:
            _write_lines(formatter, "More examples:", examples[_EXAMPLES:])

    def _sorted(self, ctx: click.Context) -> dict[str, list[tuple[str, str]]]:
        """Return the help of all options under their headings."""
        records = [(option, option.get_help_record(ctx)) for option in self.get_params(ctx)]
        told = [(option.name or "", record) for option, record in records if record and record[1]]
        first = FIRST.get(ctx.info_name or "", ())
        if len(told) <= _FEW:
            return {"Options": [record for _, record in told]}
        found: dict[str, list[tuple[str, str]]] = {"Options": [], **{heading: [] for heading in _HEADINGS}}
        by_name = dict(told)
        found["Options"] = [by_name.pop(name) for name in first if name in by_name]
        for name, record in by_name.items():
            found[HEADING_OF.get(name, "Output")].append(record)
        return {heading: records for heading, records in found.items() if records}


def _write_lines(formatter: click.HelpFormatter, head: str, lines: list[str]) -> None:
    formatter.write_paragraph()
    for line in (head, *lines):
        formatter.write(line.rstrip() + "\n")
