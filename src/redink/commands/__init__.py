"""The commands, one module each: functions that Python, the command line and the web pages call."""
