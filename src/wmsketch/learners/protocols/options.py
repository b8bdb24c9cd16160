"""The names that options may have, so that editors and type checkers know them."""

from typing import Literal

Loss = Literal["logistic", "smoothed_hinge", "squared_hinge"]
NumberLoss = Literal["squared", "absolute", "poisson"]  # of regression
Schedule = Literal["optimal", "constant", "invsqrt"]
Step = Literal["plain", "adaptive"]
ActiveSet = Literal["associative", "exact"]
Eviction = Literal["paper", "drop"]
Priority = Literal["product", "quotient"]
Newcomers = Literal["one", "all"]
HashFamily = Literal["mixer", "tabulation", "polynomial"]
