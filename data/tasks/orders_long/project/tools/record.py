"""Recorded requests of one rule as lines of CSV: RULE COUNT."""

import sys

rule, count = sys.argv[1], int(sys.argv[2])
for number in range(count):
    print(rule, number, number * number % 97, sep=",")
