"""
All methods on one file
=======================

`wmsketch compare --plot` learns a file with each method of the paper at several budgets, in one pass.
"""

import subprocess
import sys
from pathlib import Path

import matplotlib.pyplot as plt

sys.path.insert(0, "../../examples")
import visits

visits.main(Path())
command = "compare visits.csv --label bought --ignore visit --budgets 1KiB,2KiB,4KiB --seeds 1 --plot compare.png"
print(subprocess.run([sys.executable, "-m", "wmsketch", *command.split()], capture_output=True, text=True).stdout)

# %%
figure = plt.figure(figsize=(12, 3))
plt.imshow(plt.imread("compare.png"))
plt.axis("off")
plt.show()
