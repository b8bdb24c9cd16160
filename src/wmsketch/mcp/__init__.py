"""An MCP server: explain, diff, pmi, train and predict as tools for an assistant, on the files of one folder."""
