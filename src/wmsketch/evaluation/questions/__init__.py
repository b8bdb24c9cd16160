"""One module for each question of the paper's evaluation."""

from wmsketch.evaluation.question import Question
from wmsketch.evaluation.questions import (
    budgets,
    claims,
    hash_families,
    memory,
    online_error,
    recovery,
    regularisation,
    run_time,
    shapes,
    theory,
)

QUESTIONS: dict[str, Question] = {
    module.QUESTION.name: module.QUESTION
    for module in (
        recovery,
        budgets,
        online_error,
        regularisation,
        shapes,
        run_time,
        theory,
        hash_families,
        memory,
        claims,
    )
}
