"""Analyze text linguistically, and extract and classify edits."""
