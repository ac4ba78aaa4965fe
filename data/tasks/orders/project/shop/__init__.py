"""The order system of a shop."""
