"""The paper's evaluation, rerunnable: data, runs that are kept, one module for each question, tables and figures."""
