"""The command line. Each command is one file: read, learn, report.

`wmsketch --help` loads all of these files, so at the top they import only click. They import numpy, rich and the core
inside the commands.
"""
