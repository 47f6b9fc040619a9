"""What is on the screen: the progress while it runs, the table at the end."""
import sys
import time

UNITS = {'rate': '{:,.0f}/s', 'cpu': '{:.1f} µs', 'bytes': '{:.0f} B', 'milliseconds': '{:.1f} ms', 'resident': '{:.0f} MiB'}

# What the columns of the two sides are called, and that of what the second side is.
FLOORS = ('product', 'floor', 'the floor is')


def print_table(results, names=FLOORS):
    lines = [('work', 'figure', *names[:2], 'ratio', names[2])]
    for result in results.values():
        title, beside = result['title'], result['beside']
        for name in ('rate', 'cpu', 'milliseconds', 'bytes', 'resident'):
            if name not in result['product']:
                continue
            floor = result['floor'].get(name)
            ratio = result['ratios'].get(name)
            lines.append((
                title, {'milliseconds': 'time', 'cpu': 'processor'}.get(name, name),
                UNITS[name].format(result['product'][name]),
                '–' if floor is None else UNITS[name].format(floor), '–' if ratio is None else f'{ratio:.2f}', beside))
            title = beside = ''
            if name == 'rate':
                lines += [('', '', '', UNITS['rate'].format(other['rate']),
                           f'{result["product"]["rate"] / other["rate"]:.2f}', label)
                          for label, other in result['others'].items()]
    widths = [max(len(line[column]) for line in lines) for column in range(6)]
    for line in lines:
        print('  '.join(
            text.rjust(width) if 2 <= column <= 4 else text.ljust(width)
            for column, (text, width) in enumerate(zip(line, widths))).rstrip())


class Progress:
    """One line on a terminal, which changes; elsewhere a line every ten seconds."""

    def __init__(self, steps):
        self.steps, self.done, self.begin, self.said = steps, 0, time.monotonic(), 0.0

    def say(self, text):
        passed = time.monotonic() - self.begin
        line = f'{passed:4.0f} s  {self.done * 100 // self.steps:3} %  {text}'
        self.done += 1
        if sys.stderr.isatty():
            print(f'\r{line:<60}', end='', file=sys.stderr, flush=True)
        elif passed - self.said >= 10 or self.done == 1:
            self.said = passed
            print(line, file=sys.stderr, flush=True)

    def end(self):
        if sys.stderr.isatty():
            print(file=sys.stderr)
