"""
What differs after a release
============================

`wmsketch diff --plot` compares two files: here the requests before and after a release. Points are ratios, with their
95 % ranges; an arrow is an item that one file does not have.
"""

import subprocess
import sys
from pathlib import Path

import matplotlib.pyplot as plt

sys.path.insert(0, "../../examples")
import incident

incident.main()
header, *rows = Path("requests.csv").read_text().splitlines()
Path("before.csv").write_text("\n".join([header, *rows[:20_000]]))
Path("after.csv").write_text("\n".join([header, *rows[20_000:]]))
command = "diff before.csv after.csv --items version,endpoint,region,ok --top 8 --plot diff.png"
print(subprocess.run([sys.executable, "-m", "wmsketch", *command.split()], capture_output=True, text=True).stdout)

# %%
figure = plt.figure(figsize=(8, 4))
plt.imshow(plt.imread("diff.png"))
plt.axis("off")
plt.show()
