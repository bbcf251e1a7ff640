"""From parsed definitions to normal form, one file for each thing removed."""
