"""How `train` prints its errors, of classes and of numbers, and those of a baseline without features."""

from __future__ import annotations

from typing import Any

from wmsketch.cli.parts.number_report import baseline_text, errors_text, target_text


def errors_of(fared: dict[str, Any]) -> str:
    """Return the errors of a record.

    >>> errors_of({"error_rate": 0.125, "log_loss": 0.5})
    'error 12.50%, log loss 0.5000'
    """
    if "mae" in fared:
        return errors_text(fared)
    from wmsketch.cli.parts.output import number_text

    return f"error {_percent(fared['error_rate'])}, log loss {number_text(fared['log_loss'] or 0)}"


def baseline_of(fared: dict[str, Any]) -> str:
    """Return the baseline error, the AUC, and the mean predicted probability with the actual rate.

    >>> baseline_of({"majority_error_rate": 0.25, "auc": 0.75})
    '  baseline error 25.00% (commonest label); AUC 0.750'
    """
    if "mae" in fared:
        return "\n".join([baseline_text(fared), *([target_text(fared["target"])] if "target" in fared else [])])
    text = f"  baseline error {_percent(fared['majority_error_rate'])} (commonest label)"
    if fared.get("auc") is not None:
        text += f"; AUC {fared['auc']:.3f}"
    if fared.get("predicted_rate") is not None:
        text += f"; predicted {fared['predicted_rate']:.1%} positive, actual {fared['observed_rate']:.1%}"
    return text


def _percent(rate: float | None) -> str:
    return "?" if rate is None else f"{rate:.2%}"
