"""Statistics of arrays of numbers, independent of texts and sentences."""
