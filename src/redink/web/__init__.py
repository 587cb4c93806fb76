"""Putting an application on the network: headers for every answer, and a server that listens."""
