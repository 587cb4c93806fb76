"""Human judgments: labels, crowds, samples, rankings."""
