"""Serve an application: security headers, connections with limits, a port."""
