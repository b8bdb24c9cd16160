"""The command line. Each command is a file that reads as read, learn, report.

`wmsketch --help` loads all of these files, so they import click at most; numpy, rich and the core come inside commands.
"""
