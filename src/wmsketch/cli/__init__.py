"""The command line. Each command is one file: read, learn, report.

The files import only click at the top; they import numpy, rich and the core inside the commands.
"""
