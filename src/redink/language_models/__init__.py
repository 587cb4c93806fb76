"""Asking language models: endpoints, stored replies, budgets and prompts."""
