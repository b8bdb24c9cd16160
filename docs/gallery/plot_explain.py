"""
What slow requests have in common
=================================

`wmsketch explain --plot` draws the ratios with their 95 % ranges.
"""

import subprocess
import sys

import matplotlib.pyplot as plt

sys.path.insert(0, "../../examples")
import incident

incident.main()
command = "explain requests.csv --outlier ms>500 --ignore at --order 2 --top 6 --plot explain.png"
print(subprocess.run([sys.executable, "-m", "wmsketch", *command.split()], capture_output=True, text=True).stdout)

# %%
figure = plt.figure(figsize=(8, 4))
plt.imshow(plt.imread("explain.png"))
plt.axis("off")
plt.show()
