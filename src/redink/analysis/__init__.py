"""Text to linguistic analysis to edits."""
