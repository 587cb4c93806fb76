"""Arrays in, numbers out; nothing here knows what a sentence is."""
