"""What a number needs beside it: the command, the commit, the machine and the versions that gave it."""

from wmsketch.evaluation.provenance import provenance

__all__ = ["provenance"]
