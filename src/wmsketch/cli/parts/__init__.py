"""Code shared by the commands: options, messages, progress, tables, files."""
