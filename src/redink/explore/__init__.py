"""The report of large data as a local web page: tables are computed once, sentences loaded."""
