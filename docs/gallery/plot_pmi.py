"""
Words that occur together
=========================

`wmsketch pmi --plot` on Python's own manual, the text that `help()` shows.
"""

import subprocess
import sys
from pathlib import Path
from pydoc_data.topics import topics

import matplotlib.pyplot as plt

Path("manual.txt").write_text("\n".join(topics.values()))
command = "pmi manual.txt --within paragraph --undirected --min-count 40 --top 12 --plot pmi.png"
print(subprocess.run([sys.executable, "-m", "wmsketch", *command.split()], capture_output=True, text=True).stdout)

# %%
figure = plt.figure(figsize=(8, 5))
plt.imshow(plt.imread("pmi.png"))
plt.axis("off")
plt.show()
