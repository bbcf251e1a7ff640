"""What is refused, and how the refusals read."""
