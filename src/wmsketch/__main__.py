"""The command line as `python -m wmsketch`."""

from wmsketch.cli.main import main

if __name__ == "__main__":
    main(prog_name="wmsketch")
