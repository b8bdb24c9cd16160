"""What commands share: options, messages, progress, tables, files."""
