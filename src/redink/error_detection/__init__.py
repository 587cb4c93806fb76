"""Writer, annotator and system compared: units, targets, tallies and curves."""
