#!/usr/bin/env python3
"""The product beside its floors: each figure next to what the same work costs with nothing around it.

    bench.py [--rounds 5] [--only NAME,…] [--json FILE] [--smoke]
    bench.py --check RATIOS      fail if a ratio to the floor is over 30 % worse than those kept in RATIOS
    bench.py --keep RATIOS       write the ratios of this run there
    bench.py --beside HOST       instead of the floors: another build of the host, beside the present one

Product and floor, or the two hosts, alternate within each round, so that both see the same machine. A ratio is the median of the rounds'
ratios. Progress goes to standard error, the table to standard output.
"""
import argparse
import json
import sys
from pathlib import Path
from statistics import median

from rows import Sizes, rows
from table import FLOORS, Progress, print_table

# How much worse a ratio may be than the kept one.
TOLERANCE = 1.3


def measure(chosen, rounds):
    """Runs all rows so often: a product's, a floor's and the other floors' figures a round."""
    taken = {row.name: [] for row in chosen}
    progress = Progress(rounds * len(chosen))
    for number in range(rounds):
        for row in chosen:
            progress.say(f'round {number + 1} of {rounds}: {row.name}')
            # Whoever comes second may find the machine warmer: they take turns.
            if number % 2 == 0:
                product, floor = row.product(), row.floor()
            else:
                floor, product = row.floor(), row.product()
            taken[row.name].append((product, floor, {name: other() for name, other in row.others.items()}))
    progress.end()
    return taken


def figures(side):
    """All numbers of one run, by name."""
    named = dict(side.more)
    if side.rate is not None:
        named['rate'] = side.rate
    if side.cpu is not None:
        named['cpu'] = side.cpu
    return named


def summary(row, taken):
    """A row's medians, and of each number that both sides have the ratio: above 1 is more than the floor."""
    products, floors = [figures(product) for product, _, _ in taken], [figures(floor) for _, floor, _ in taken]
    ratios = {name: median(product[name] / floor[name] for product, floor in zip(products, floors))
              for name in products[0] if floors[0].get(name)}
    return {'title': row.title, 'beside': row.beside, 'product': medians(products), 'floor': medians(floors),
            'others': {name: medians([figures(others[name]) for _, _, others in taken]) for name in row.others},
            'ratios': ratios, 'rounds': [{'product': product, 'floor': floor} for product, floor in zip(products, floors)]}


def medians(runs):
    return {name: median(run[name] for run in runs) for name in runs[0]}


def faults(results, kept):
    """What has become worse than the tolerance allows, by row. Of a rate more is better, of all else less."""
    for name, ratios in kept.items():
        for number, before in ratios.items():
            if name not in results:
                continue
            now = results[name]['ratios'].get(number)
            if now is None:
                yield name, f'there is no ratio of {number} any more'
            elif (before / now if number == 'rate' else now / before) > TOLERANCE:
                yield name, f'the ratio of {number} to the floor is {now:.3g}, and was {before:.3g}'


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--rounds', type=int, default=5)
    parser.add_argument('--only', help='names of rows, with commas between')
    parser.add_argument('--json', type=Path)
    parser.add_argument('--smoke', action='store_true', help='each row once, with little work: whether it runs')
    parser.add_argument('--check', type=Path, metavar='RATIOS')
    parser.add_argument('--keep', type=Path, metavar='RATIOS')
    parser.add_argument('--beside', type=Path, metavar='HOST', help='compare with this build of the host')
    options = parser.parse_args()

    every = rows(Sizes(options.smoke))
    if options.beside:
        if options.check or options.keep:
            parser.error('the kept ratios are those to the floors: --beside measures none')
        if not options.beside.is_file():
            parser.error(f'there is no host at {options.beside}')
        every = [row.beside_host(options.beside.resolve()) for row in every if row.bridge]
    names = options.only.split(',') if options.only else [row.name for row in every]
    if unknown := set(names) - {row.name for row in every}:
        parser.error(f'no row is named {", ".join(sorted(unknown))}; there are {", ".join(row.name for row in every)}')
    chosen = [row for row in every if row.name in names]

    taken = measure(chosen, 1 if options.smoke else options.rounds)
    results = {row.name: summary(row, taken[row.name]) for row in chosen}
    print_table(results, ('this host', 'that host', 'that host is') if options.beside else FLOORS)
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(results, indent=2) + '\n')
    if options.keep:
        ratios = {name: {number: float(f'{ratio:.3g}') for number, ratio in result['ratios'].items()}
                  for name, result in results.items()}
        options.keep.write_text(json.dumps(ratios, indent=2) + '\n')
    if options.check:
        return check(results, json.loads(options.check.read_text()), chosen, options)
    return 0


def check(results, kept, chosen, options):
    """Measures what seems worse again, with more rounds: other work on the machine may have hit one side alone."""
    suspects = {name for name, _ in faults(results, kept)}
    again = [row for row in chosen if row.name in suspects]
    if again and not options.smoke:
        print(f'measuring {", ".join(row.name for row in again)} again', file=sys.stderr)
        taken = measure(again, 2 * options.rounds)
        results = {row.name: summary(row, taken[row.name]) for row in again}
        print_table(results)
    worse = list(faults(results, kept))
    for name, fault in worse:
        print(f'bench: {name}: {fault}', file=sys.stderr)
    return 1 if worse else 0


if __name__ == '__main__':
    sys.exit(main())
