"""The report over larger data, as a local web page: tables made once, sentences asked for."""
