"""The paper's evaluation: data, stored runs, one module for each question, tables and figures."""
