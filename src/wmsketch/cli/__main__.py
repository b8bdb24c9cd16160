"""`python -m wmsketch` is `wmsketch`."""

from wmsketch.cli.main import main

main(prog_name="wmsketch")
