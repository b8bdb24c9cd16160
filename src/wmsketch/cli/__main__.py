"""`python -m wmsketch.cli` is `wmsketch`."""

from wmsketch.cli.main import main

main(prog_name="wmsketch")
