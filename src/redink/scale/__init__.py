"""The same work on a cluster."""
