"""Collecting judgments from people in a browser."""
