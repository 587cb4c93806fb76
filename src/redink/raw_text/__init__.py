"""Raw text to the lines and tokens of its source: alignment that knows text and no language."""
