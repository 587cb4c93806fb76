"""The use cases, one module each: what the API, the command line and the web app call."""
