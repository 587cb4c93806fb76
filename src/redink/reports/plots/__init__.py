"""Plots in one consistent, colour-blind-safe style; one module a family of plots."""
